ðBV/•HYå#Æž˜™ŽÂÉûd
j~"!tÐ$SÔ‹à ·S B‚*c_kÒ.¹Q@
×,“ËfT(´² b÷Å$SPÇ6*¡›>èQÍ_¶Ý¯F,¿™yœ·n­¿ß¾¾µ‹£5Ð%œ<‡°éS=X¸ÜÉTRKãåú§´æñ]š¢e¸ñ¯EE¨+Z¦%ØOëc++Å—ÛÙ(€Ó-fN™ã®ˆ*!úõÈKZŸò£yŽÚ#ÂŽâ»©R*-3H§ŒA+FŒùÖ±æZûmó«åº<'›§ü†àbœ~àŸw= ßC[ü#÷]ô¯?Í EMv`ÇŠ‘j±ýEá;Ín-pWqÀ•½Ò¤ƒ×{)…DÆï&pØâù@©»>2øèïUÔmqîƒâR*›àu÷´¤~™ I¬®õ¸4{he¿ ã.Û'rßsyìlÃü“ÿhë¹WÒ@ïP±Ö#ð]lH *\ÒÆ3øñ{m°IðU>—U+X3M1.®†,
0t'ö°wëClÓÝ]:3ã×Ö”OP1>çÉò›0ÀŸ}J-ø;Nu¢CãÚo|ž=›=$”†ï ÁØ/õÕõpfqŸöhÊO’š¸^Q›J§Êõ©Y2!Á{?³‹`•à	9Ua´› ÛˆUà¼¬Fýjâé1²§Ï±[×[ìám’Ê™õ‹6DCQ–[Û,<›ª'Á>MjØu9< ©Ød<ûV£@°ëPÙŸŽ:F·oœ@ðU´“§¶aÇwÉãÜý€‘Æª²z¦´T¨  hÉXaÍázqp{û“ãToøM­Ô¤ñÖ¢,àO×àæ
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae M5xb517SpPI0d+G/nf67oNmhPchlcigNG2EXHkwB4+vgttK642Hl7mcK+tArABFpyMw5uHJqBkYhTq6cA5aWN/h7bouSSTAi2o0IL2qsuU/dP++iW/dTRHClNcrhkqWqZa3p3L2O9DjBNhH13hF4f3QWxCrhAEDBZfqptnKgB9tK1BOVWy+6rwcE19ENuFsmSMbf2FBEdXqzOXPmir4LD1PieBpgeloLvWedcpekpjAtYpFVW+kWvk6bGlInr7euW3J0I0Z8baH/Z9bHRQWNNojzEgJwifUfXj44TKm76L8kbRACcq4vPlrekDLFuDcQ1NgNd4+xrCZNnoZtl5mUrA==
