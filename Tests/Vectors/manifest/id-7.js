´…ÓVˆ‚°la-=Z∫Hß,¥˝πÛûp@›º≤ÉÔ#ØùèU:UT°„hÔÙπÃë ËSn…|µ;˜	\©©–Ì<ı–.»8“ΩEΩÿ&m√ıàÌOÈ>LﬂÀÿùz®»2tÓúøw’•ﬁ≈
@⁄´˜Õë÷†9Zõ@ækØ#9–πu0Ru¡MIâÎ˜”∑~§*Îdãà˝∂ßQS•8;≈k[˝=W˙lıjË˜Ô·`˙Å±dﬂw…óqú&¡vÃºŒÙ…É~ñ"éπû3ôKµîò
H„ÌÌ%Dq¯?OÔ	ƒ%JÓB†∞≠ÌºÒw?k,”ÌEﬁmÌÄ$,∂M}K–	L·Ÿñ]ÆÇ˛ü˝C-∏@(Áƒ6lüä[≥‡Li—©≈È2ö“dª}±çÍ*◊ÇÿóËJ'∞Ñb¡î…‰Ñ%&*y9·mæ‹
asÈ?âMv–ÕÅv´§Áœ,B"£˛d‚≠÷o¨Àm£•∞}ê⁄ñXùó“,Ø€tcﬁZ∏˝ÇléÍ,ÜnÆµéX âTz%„∞c~R]B2ÄÌ›Ü9°ﬂ?A…®q8¡[ï“≈õsˆ¨Õå´”Ó˝as»o!P?FôÿH3„c‚ªùÍ¸¯'¯« ≤|‰ÅY¬äÖaÑi#§µˇso‹µ!§”êyŸÄ˝…ÿ©Aœ=aï†ZqDÆ7ì∆	+ÿTì¢xWK€D(¿†œºD! ¯?ÉRÇ;ƒG-ZÇÓµgçSƒÔŒ˘Jˇï≈˚NÅYã¢f†ÍC¯@÷'9IıÀÅ“\õ√ªÖe∆óìÈøÍò;TBptø¯z>ØØ;lY—æ»’e d
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae xQMNrcXwny2IfeCLO8oWaWjQdOqwXUDSbw/gxLQhMPWY/sMGgmd63no30lqSl4ilhwjZlfNCmRJrqTNcW9KvPu9eaOl0jaovuuU2umQPmb14gd35LIUf3hq7CKpYCsikkxrd+UUdiaZeqmLGRdn9J11p2ZJOKbycl7YtxG124cclDt+cWUejICelllvyVCbxRFKLRaRWJj7U212g1w4rz75yAnHNeWfHRa6vNK1hpZo44xuhdpAXKEEP9c7bt4DWWRbJ8YsOm/fkLIGhSLISTx1hMFUQ6nkJYZrhaePRJ8mIM6IKSud2Zw6BFeLFP1u1vJTk/0GuWWMAJJ84Xtaf2w==
