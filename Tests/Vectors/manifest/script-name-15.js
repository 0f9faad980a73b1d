ôz62Oê›@¼Q¤<¼¥1…×²¦á¿q-];Îc²€JÀ‚QeÐ†öB¢Ý~7>7]mfÉÍO¤òxÝTe‹!^&¤Àí}	zä•-•üŠ^kçT~`F¹bÏ«?éœ$7šŽëØPa-gNø”È EEhÀXfYÅ?Cä(G|µ<•mk\H÷¶qà?>ÝÝÖ`ÙXô43I\|’5?©.J?í2ÑGË®Gz¼.à‰í·<lÏœS
XŠlu¡n|ÀÄ“ˆ%S°K}´RŒ©ìºï‹ œ«–æ.¥üžÔ§ß#¾ªÏ~[Tq«Uðßýå\’=Ü€¦YCÉšÖ›@SU©a<,PþðC°ö‹¬fööZð™ò˜ŽäS
^ò5î±×Vk¶üÀ¥JÁá"4Ä³ü}$ë-Ž€lz,ûuÊ™ºø¾ëaéÅrÄûPéó…
d½ˆ3€•:G
¤jƒ%Fz9x){ß!xÅobÏÃ iœ×³dæe¨¼f,êãŽ.ÚÎ¾DÙU“š±¥´`¹§ôgõaq¥yŠÑa&[º¨÷¹ßõ„³on±š‡ÒdÃÎ’…‹_¦¿ÈA¸p.©,œ©bHÉ|p+4e[	½?xƒe~CA®„÷Ôòlìè£¤!Ì8â—Þi;’˜XûM*ïRðqX@#˜õÒjý/kT#¬éN[ä/B·©…&Y[€ž0µ›´ Êç‚ìœj½¥~)~¥»ø±ûËH* 6g¢Ð»®\}¸ÁâÃÖaÎ	œC”TUn¦
YiØ@l¬Œ1U]‰"ÅŒ×Ìkð©ôI@‰†Nùvè÷¿’&ÔÆ­£
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae vxAPVE5J4QzzzllOysffPwnleEN/JJGk+GgYYifQVFFY9OtOExOZj7DiEm8Q61mFXIQIImEfaNmS+7znlYxzPczKQnv1FYDgmaMLXuaFRQzex7kQUIp1hNsbtNOqjove3pLb4g1eSIZwGP7w8Hgc16XUN8sKDFeHXkemKVaknK5EiuE4EKKkemcq8QFU95oEEoBlMO0dknLB56q203RWDU9Ja4nhdIpjQIkTp2Sd6hWsw0/V47Ee6VxdHVNsBtQ+/OsE8dfyi6FEgFWMuf1kdBlvSr9OpeYrbyurRlDWQTxajgQMpE9+HVs0vwMXKKRu18CYaPaEFkuiOuvx7vd63g==
