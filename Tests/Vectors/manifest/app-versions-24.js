ÌÒkÑÎó^¼äêºøÙ=¢9òþŸÐ`UÕeNÎÀð´;Htã/†6W	4‹Cõm“Ž>â·F{Ë7ºÍË—lñàÿæ7ü,ôÕ/Fd]Ê”µe§<ž$y)³˜Êü$]”/Á Ü‚O¾CøLIkí¸'lß(Ã–æÚ VW\)—	bˆlÄl¦¬tñoú6<Þ+UÛŠÓMuã¸D0¯Ä–}5âËúlfÅ‘Üb° ¸òâ_‰Ó²d®U=¡ì©»žS¾ûi3º´.þÍß…{±ÎVvMlÌ¦í…ÿÓ5ke­g†a\Gc¦C²Êw
,Xód8î«?Œðæ£‹ÆÌéÑ9î+h• N_¦;…Í±ü™â7	ÜÁ³ó°€(æç†¹W©sf„¼h”ëæÔ	õpc‹—@B0uOK_ƒ,ï4‹%|T±r2µÛ¶<¨ÒWŽð³ú†oˆ3ò½‚f®,r
—%eË/˜Ú˜è*·ÛÙÛÛpðº2»%b«¢$¾ÚÒ{”oÐ¥§ÞÄ!&LNhÓwåˆˆí¸PÕZ‘~±pdmà—L]¸ü
 
Ö'àñª“ Ü5çÝ!ƒ)¾´µx©Ä¦£Ãí¾¾K6,ÑBÝÄ>ê^Úç§v•Îz‘jO-Ü~cû¾–"Aô¨`Ëw±Kc6¸õ	»T³¸ŸÙ)¨?7²Ï*Ã%¢n~O¾†67qSPïòÒ#tZ)r	`iâFò·$žü•à"/&Óµ‚ÖB!I#Øu×Jˆžgþ‡JÚûç65Ûö¶ëï)IpXt]Z&óu9ùŽ†“
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae q0YoWx0c//eaZwYT3xabDTFhSB/XSedq2K8E3GOzzyrTaXZTMIv6T8wBlze0v/4NWeJjqLtHteKY2N1BclEQPb7HcaUiAw7/oIshbbza5BV+SKtxYZoQIvL9eXxaB/Eqsb3vB1NyfcAQ5YnrwmK06ihFcQW04aJEdLuYp9ENuqPuoaIle1nwRmHiTVuecnmWyDKUQEdZBEb5uy4IS37apKrNFUq00PawYuMFX/xweSvuz2ubCfPoLcqkx09xfIW+GItD5kEcgOz5fK0Doz/ZS6tqmlStPQEm7Uo7eDEjb4Gdrh99l0/Z73oskBON58keoDgOugDJFJF7PuFsZ1yF8w==
