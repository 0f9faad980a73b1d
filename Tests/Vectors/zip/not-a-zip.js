ˆ∑¬ïU3ø5≥Ø/ÏŸ—.d;ØÈ≥È†ØK95ë?ãŒîN\'ª≠û/çª¥√;ﬂ±¯Çng}—
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae FG+YdSuTUUp9eLRSCFCIaFmRZK2iVK7JsXbIiFzuYkAc2H0C96P/cvmu/AU7wYdL0p0leXdKxf0I3LBywSLHDoiXYWt8GwHHcI5Oi9alxkfDSHZi5p2N+TJzJTLUSFv+2qmZiGTwMiH9wC2Zr/u6mDSXB2ytS76wZk0pSVOEvRhavqJKO6PB9fAHr3ykzIYmaRV5MciZnjtqPDlK/eWPQfs+vielYln3ZTUdcd6jBvlSemczawfEYkLwGwPUjWOLNJQt3kbgGe9zupIDWhyPU+j96mvTXH1yMpPcS6FBicE3rH+EcWZ0MnCWDzI8SqOlevbNyyP0RgBQO5mm2xXKXw==
