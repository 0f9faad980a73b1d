z¼GñË[‚ØZKÒaOÊ¥“ #‹!ù)¢‹*BC~YÁ¤!ªåc¤1½:Ùo¡>n¦:»&}GÊ¾Tþæª¾çÕ;¤ ÑÔIÐÒäBg!÷$ÞEÙÉJä|›±ó6¥
ByPæ“`‚éý¬ì§@ÃôÀV@4˜•xiý,ÿŽ- ÞüŽõ+ê>/H¢vë|Û/_¹Ân
â›ðnN/	¬Z¨™O×N9Ò<ÚÁQ»“jÁŸ•dž²'#p¬–£¹÷R	þó{ëÈi•xò_eƒtõ#åÆÙ€ŠùÝÓXv—]~ú{°7­ìì-ÃJ©ê‡2WsÈ)C<q¬q?Ž>O·¾|™ƒKöSØùá‚ñ8…»k![³ë;²aVE¦”†çÝZ‘GË¶¨Ç×âGlÇÖfÈî;Ë+èy4,N€ü0ktwßlÞe>DóÒX€ýJÅçéBvfyUE–ÈÂt’·ðrm¼p#>ýS];Ø*ßRñZî–g=šî.¯V¡»‡Õ1iŠÁ[1;	§3KSƒp°%]Qã¢“²åî4B$a@ÿN&"AÛV‹Í/Eht0ïrõKÌQa7¤Vë)Ó«1µ´H[î!ö3óŠº¹Š+“ï¬ÍoDââ	½Ã¼ w8¾ ¹Mûé"Ïü?­ø°£s,YàÛÊ‘N£þÓ’C
*¬MTð1Hûå=gÊçJq¯i|<ÁåS‰
ø)Y»îoÇåÁES8ªu;½áª3…Åí/-wÙƒòÝ5®¬…]V2†­yU–€ýiÁý¾wõ®×½‡6â¦’…`©}ÎÒ·q
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae F1A/73HE13EJPfOHK0Nkcf1CDFrNA9n2rIdQj+wsblj5J/h6YLnD6JL/pRvtdrDP8dLXLF2aPtKux8ZGYJqr6NiCVnRduN8U8RfRzWaXMGyZTKZ+BM4V5b9+mLmXcjlRMBIIt/WtWkYsBbE5zyL8x3EdWidnEFpgrwNr1Y+B5V+vHp0ebIltVaF+Bl9qNlZkqO1pfbLXRACCXJQli1PsGakTq1PgGsASVyoAaJlJaQ8punm3FCpljPZDX0L9bPeo4eSl9wkjwdNdC4aYaZzqiZMZIoAUlhjlAUhmtwC71b23v6fA+BKkt3aWEgWjexXLwwqflF34iGFg2DSFfm1f2w==
