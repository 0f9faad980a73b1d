ùŽ³¦)!÷«ïa-®ÛÌËO%­†Ã*°¯BÕ\<~ùtQˆ7:½@Ê]\˜%M}*rÛÈ1“ýV)&'Ï'Æ¶’ ¬«Å\v"C§«ñkH§~Ì‘ŸdìÞ\l¯9~‹L©Žtõ†ù´Pà!Q?›º‹šÁ‘ÃÁí¬"òÙÃÚÜr*¡yŸžÅÏCÈÒi†z6úÍ@ê(YŽDÒÒÐK+'$0—2ŸŒ‚m$aJõ¥d±°ÉÎ×z¤fY(A:,™«Ç‚šâ!ý¨d <¼aZV8œ!Üú—cHó*¨ˆ©¹{Ž¢ÍL¬è8eßÄºíx"cÕå"3
5·!­34Îb¿òÆ‘¨ÏDfåvI	ÝzÌYw]b€¤*înš¬Ö.‚ iDáD¬#{iÃÞðšQ±“~G’ž«-ÅÚ½Š¬vR±ÇÿÕè ¢ž[,~ü@¢H¯°U$^êô^Ãr<˜ØV]REÀëãÈÕ25¾È UQbƒÃÉ³K¯nÂÉq‚…<Ó°<; †ksL:Óèy‘ÅˆÇÕ`½Ôzáû
­+ÇþIMé†#¢ŸiŒH€Ü·ŽR9§#ñvÁ7b/ ÖUuïÅœ©£µ½¬½FÆbßhó¼ÒEŒ|â^þìˆœÆöÈxoÜüõkghŠ|îÛY5ù…­;kT´ÃMž¬ÒÝòž/¥‰=Œp˜
:Nµ¯à!ðY’äÉo‡bÇaâ´¢:D®åüUHõ‰‰¦’nka¨ôíõ};£%>#bP¦ÕJÜòõÐÀw•WWm™²UJ¢^Nf>6|éˆåÅ¾Ó•p$”|?n™6
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae dm2+TI9Lhlb80JV7QQhDFvoPSUIC4PikDzDZObSHeprBY9i5yqv9KeHdZwVIqg+zjaYarTV/cS/ndrLmWCYIVb3ocrw6XgAFllow+P+txhAS/VmNZpoGCubhG7wxI6A0XzqIVg/jl2IyqRvIRPDMXMOUbPrTsUBXI3qKcgNCrLc1M3MxCNS8GnAIZ+YCMSdHGJUlN9jdIdtfZBRUmXwyGSO+DqSn1vAOy0avi3oGjOSg9Xg9aqtailMZEKnubXJDdqvNVOyrsv9vkUloub5y4C4AOREbrjgFPwhww3SZ1UMDLerDZ2UQ0oGQsHfHKUAJTipKB4/Lc+ZP4Ux6Z3RjoA==
