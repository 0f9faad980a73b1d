Sá@’G2¤Æ©>™‡aÎ%ÁI>ÊÊÉq½ÿœpÛ$qIÀÊEN…1­
ÆÍxl—¾SòH¢@ŠŽää›o„'”aöN»«à^ã(dÌ¾’È½ÊvÿV²°3÷Žc€ZÃk›¨î`Êô¹0öMIbiñ½¦JEYeò§ü£Ïö¾²5¦[4æwÐŠ1JB42—YC1jÊjLâœ`Dôš«•=NÆ•›ó·ºg]CÏ*™öÿHÙëÆÄno|²QU9°°õÝÉ©]G;I?ZdîYéŒ<UwçÕº+\|ð¯yzZƒ>ŽVs¬/ŒÁ#ÿ¹àÌ‰`Pžh•ƒƒýF	ÕÁŒ„$µÝ£jÜïa*lÙÃ$/ê[Ñ>Q:S§¼Ýç™‘2ë³ˆOw‰Ò—É)gàµ1À!DÃ_ÇÐ¥£šnwDXŸ½„•_TY¦)ÐeÏ‹u¶D$bé-`XJ®‹eÔ¡a4€‚.…ö}‹½Y2LyÕè‹ö²ãLW¨_ñðã±1æp•ÌŸ	ççÊÖgIþ”›)kˆ÷ž{ÛWG?Ø¤š­Û1KŽ™.§YJ·ù}^í°4
cªA½û-H¶Å³ìkÌšfÃa8¹ígÆ&ü.)…ÒÒ5¬1‰„c¤¸­¨Ge7)Ü<–ÀbgÉêG5y	>–´í»ÇD
˜äÔ4Ý^¢(‹¿ˆ‡]‰f’KÅÇ™j‡ûïl0úæÂk9\¯èÿµóò±ÝŸ
ÕäsPŸCY.ýEx´«¿‡,°}Êr÷³:š'ò…Y*‘EÜ…Á9Ý~À¦¾»ìëÇà9U’bVEIß§’ú©oÊUÅ¾’«?
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae MiJcewaFNplfcKgPXpDZ4K5uk0X4mERDJNwflCMyjKPTJ0aqfswuYWN++ApzQ4tba/dZ/fs72xPt9a0nZ1IOmJQ6LQpYHu+q7wQWb2rAV9uhXy5sAjbeIGSy/1TmjKfP6nCrr3BpehCvS3L4Hd3y4YUrAyT90PxRh+jOk1R8hyz/PNpIHtPHA+5gX19uneaQe4N3OsgIUWMmis3GsQwrP9EKnkhgRao2EbWMCOkGzKiq4dnCZ2+v/ygudA/p/pmGvuysq9iCClVom4m1aPIAnbq9U9DY637G8BeCJ0yEa6MqmkdH+nfgtGaTd2y31e9sylaSz0Ug6IMuN6sjtJheCw==
