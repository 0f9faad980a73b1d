ã:ÊP¼uñq¨ÙÜÒ©ú.IcÅvóúZöV\2Õüû“þÎ5™<žÊÃnØâ´¨wÝ¸±]¬\&µ}ia¬¤'H¾ü³þH©—ˆè7²I¸ò$éb»µˆ¬>LÐF¡œ?Ï&Uî"âÆ>;Yu÷ÇRB>¹1õ|6Sâ,*±mÝÍûx>ÛÎ¸Á‘úÇYm¡Ë¥³¦úe+"Mu@é/µî;û‘ÇÛW²N²¨ÆCdÁT‹N
dáª!´”å¡ÑCó1¨mwåü|{Ì²á_ìÏí ìÑÊè5þDÈž‰µúßL§"\K
kñåšÚêG$Qåòým®ïÍÅ5Àú•Í	©"­—)´Û=G±¦¥7ßägÃ4–^¿¯uUq[m‹ØLŸTF”t´žÆòv«ðëùÁ'KÁØVïsª¸”Íf!˜äe$‹T‘³©¶vJiÛlŠÒ´“á:¨C$8™‰U›¡,
Â¬ ²&DM›è ·äµÇ‰ ,c \&¹ÑÀ×<èÄv?îöâtG¸cÓá(~í§©¥Kü¯-~îwÒ5éÙ}§ÕltbˆôP;	¹m#‰L¬Àå•P}`%äs³êôâõÉ‹„pÆVS©ä…úoÛM?åJ(*N½²ÎêRÝ6pûÜ§’ª|khB5×tK‚6³2DMiÚpãGÅ× Iß?[˜XE6+$=Ö>¨À¨á­e9i÷ô²“é.}³€|øÁåÐÈzZÔšt­ð2 ³§ùeA€4^(%½ÕÃLP%™æQA"ÿhQÙ"ÈŽÎDüÞé×’NrKÇw{KLwdpFd—n[ç7|w;ï&˜˜·Ðú^
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae li/MNCHuL/azpkBUF3hMUFBJnC30uOCR6p/tAZ0O8e6ekg7RtzsYPJPpTo5xLokeNSbpApxYGXYdEmcdbvHz/k71If16HeGXtYRIvHzIXOR2JFn/qHy1ULtPi0MLPqX6p5tK1hPCvlZj1v/y+OliPpd1tXEGbQePG/5/Wz7Qi9/kmKCOCc7NT4PWz7cVgoIM/XyhsHFVtPuTwLqFX2uX8+7/+w83Ye8XD1XvWv9UKF/Cu3BXkRmMZskNPcjAW4eqHBUYf+Qt+fXy8p2t7Bz4AEX69D2pGx+JBIE12RbDmFEp8L20z5PUwOv9Fa2ZWLKMDMNedP+QMftKc97ytusBgg==
