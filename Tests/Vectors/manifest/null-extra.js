é¼€–¼{{Ð¹\B¤YE!2¸tÐÄÓûè[oõ>AFÊºyžÈ|Y±-íŠAK”•Ò¡V‚ü|]T!©ãæwBýT„_™Vg_¯A’äySÎ±2¥ÈŠ#²ƒÈî¦l·@6hþkše´:¼Î¢ôÍü²xÛIoYb{¹]!Š¤4øg’²žîñZóì`"fÚ@3¸yóœ´ç3É†ªy"òÄa—}ù›ƒAëý!&þ¹µ·CB»@S°ÙTó¤!E‰â­$e‰õ§Ø'd×’p3VåMNkªÝÀfÆð»”µké pÍ{Á<ó•ƒ…ÆÎzÃè-ESKuž'9÷ŠTJŸ=7)ð{\¼€p%­:'¯DÊ7xà¦ðÑjZŽˆJð±¸$—¢Áƒ	€3^ðm?û‡õš»È5xT×šCXŠ=i=ðg?ýÄ›`Ü0ÖeâGÙßþ&g4óÅ»Tn"óàÙe§ÍžC”ê¥Ëõ²,ÍWóºßîÙ£ÉíQëòC´gâí´yäˆ
@?kÙ¼IÂ«…Á-PØÅ/ô#(s%"1ÜÎ2
yþ[FV€ž_²P‡’Æg¢6ØbZŒ=’S¿¾ä=ÏW7’è%Ð_˜-Pyâ$@MÄ…4U3é”nçå9ª²ZÒuò÷~WüNø6xƒº&0Åîûz©€²8S²åAHrW½‘ò]A‚k8¼v\¶'¬EÃ5¥S!\g4w
„v:]~åR?´!Vêèmê‰ö’²Ý´°^2³1Ô\pú†ìYU|.×Ãr`›cð¶úXˆºÛ°¡Ïç¢ H<Qq,J€Ù;Xåö|…|õØòk?4“}„,i3
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae s5/2E4zgAoZaluFKoEqud8G49MfW0103zqCWJ9H1khrgktIYZGlDHXS1HiY7vJViSoEomehjqIaSTy4dFY24/VPXNKLiZWf8F95CkmpDJOaRUFjzUSwyGtvpqjXc9flDewhNwy2lCOWHEl1NWJTwHn3KibPXOMv3nemjKM7Pu/POTTuFs4UsxNqvRe1s+i46UAYoSkos8BMqg4E4yd41CFANTRExidxZZGGNiqxPoWK+Xsv9x7wwW9L55BYjrz2uB7y0mlZlEuwTT/mtz8B1L16fJr9F+MtFFieo4KwY7n/KJ/2lfvSA5qFFq+2D0nnYbf5wuuurSQ9wHTryCF0jjg==
