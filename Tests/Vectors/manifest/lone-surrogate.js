é|ÖGßŠÏŸú}<!¬sˆ	&N^5´:ZùÅò;RØGôÕîù=nŽzvü^™.þ$p…®+øS—',ê	›:åº%OóãÒ»ì¤™JH#AÚ|s¬‹z§¶süÇH—±3x(Y?ø×u”ÓWA®¹æµü kéˆþ\MàG«Éh‘öÛR/ñ`ÅÌâ¿¢+ÿÀ{Cþ|þ<y“³ê‰	g²o„H‡¯þ]RtæÖš¥Œv”'×bt°¤°ßgô$ñùól%Ý]_µœmCŒ¤„Å$:Íˆ~Ërù³í¡]Œìùž£Þ9áÎBuk
{2°eôiÐ `˜½¦¤å^‰ãÞÚlS¤êØÿvÆ™-Û„/!·šô€ÃRµ5P´¥tä:z*úó":{Ü¶!"Ûð4+^ëFˆÌ{ä§¿ÁÀhÛ°fÐ(ÁåÈqòª3loý¾ch×5ê"(Ÿ’ª³}®k]È·ÂÿÏ’ÛX-ÀÅÖ)£Œ¨Õ|oµÎCÖZ]øßë‡—°ä"ˆBý½{¿ç:~UÙl…Sí 3xƒÄö_°S(Ÿ0Ðe
ûch€L³]úi¶øÎðìË¸t¦]3æÔ#d÷/Vz®É»îAÆØ×©œ[’€<è·˜¼ª¦ËÍ7OÛ±Ð
½P
¶¤:âîeVíšððx‚@Ö}qÉ:„N}5Õ„Æ¤\G¹Q#ÄN¼baKkFÉ„
q¨—A%¹²l©Í‹½¦chðØjPÁ‹ÕxÎã<,{Òƒ2Ä”Ð|G?·®¿gÉþ·67n™Š•(T‹‘ n$F	Þ FNkÛ€–þƒHÂù&Þ :}ñ€£ñ\X&xŸð9OÓ	
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae aUVOcymGiUwU9uvmO2APkicluFRzSLzQpfDEILIvO5TFKh2LUFaLjLMzgMVlwOY9eQUYXg1GxeAUGgXs0KwSOvYEMO8hN0kjBxZ2Js1lQfO9MO7jtqzCD70iXqXaDImx9MsLqE89OuKlG9+Ri6q+hUwfvd9pVZnbz+ZaXtPtpUgDfMYOJv4fLtkSStEnRu1/OdBFhLUIs0uDFTRl1kMvxxx0JeZt1NUm2GNybkM0ZlKSo/kTClcn/HnFz7j02/9vfW1QdhDJq1gF0SDidTAoZhmy8r4E+qVsFmWCI39KWHt3tA3dBcdr2BwIgbpvVHdqEvDpB+ISXaFmK63Lk9Bchw==
