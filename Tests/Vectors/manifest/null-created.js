¯<^	Þ¶Ä›X‰È?àrÅ²þQ ö÷5çŒ/ SÇ‡¬s	Ñ¦lKÔ	Õ/HÔ.¯´Ê'‚Sõdù¸ ¬£+óDýå«TP ø$À«—‚xÉJc›YÖ¦S§1Iƒƒ£,yp\à·|Ý
µaºí§…Z¸Ñ\n&u„š¯1 vs%½}¹AÓ!&D©|Ó‹[w‰yâµ¬Áoµe£—WË[©ù8õC´·0øÏH^¡L@[oÍÅ>30IŸ÷E™Ka"–ÅîOËSú˜IáüdB©›þÝ6ã™0ó!#Í†Ú%Æ’	c0Åbt»!±Í[[¾èÓ·
xóÆ~¸áÖÌÁ)Ÿ0¦#gË(ïï—2Ü²š;Ñø]˜åêî¢Z¥&6Þ(¬œn×ÔiŒ éR(ò/u>±.L^ëNX£™¶¦’×¬xÀ?‡ì`jJÚò—ç¶°A{rb%¹ä6ƒ @cDÑ¸TÿXVRØ¤$B&Ï’"ìŽìÕàê…Ö$e=9Î÷„"þ»ü'Ø¬ñøÈ(xÙßyÌƒM»ÚXz*zã½Zì—©þ˜—Óšø»Î?¦Õó–2jÊË:]MC¸þ"Ï³1 v¦Mñ•Lï•…º£y®â²…wI°¿Ö—PfíÚ8oÇoÝlè-¡ù
Q'ÛaþOïÖ÷áÿÁG’E8Å™rÎiYøÅ×GK%e=¢mTå $c3pPèë!ƒÙ¾Ó^þ›³8ZøTø¼@›J¢×‚B¾	,à—ÁºÛÁe4«±DæS¢ÿÿ´W‚Á˜Ùte›zVÜÜ37#õÍöüqÎ²áùZkfjk¡tu<ÛV–o
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae UeGJ6PjNdhErcwB+u+vvxZ8gPtuhWNrn8iQFi2SZe8lGse6r+IebrjEe1N0CAOS3IYu6UsW/n5RXwOYGcLyjCN1WqiPdlX0tFwgcXkFS3h9v1TDxbQ/JwZC6fwLKC93AJfqeQ/gLj4ZUU4c6cFfbodc0/Em2xNQd4b4WiC3D2VdvGHX72ypPO0f6kmhdUnebsYBjUkcCYVCt+IN7nd0VnpsZ1VPzrNp0P6IkL1EBqvFSCI7ZZHq2udDQ3QRlIDGz4A2MwK69aKgPOGFn0wWdQXBAApTY8LwiarFKW9GBoZUbbrYFX7LVFIiJfWgPlCL8OQdp8hgExqAL5KCGm7OP8Q==
