³¨VX±F r¥Ù‡ÃonÓªTc´«9‘˜ò^ïôÏò<Š¤9)8ºÏO<é™FÑ$”Þ&ý¹fù”mjŽ(Ûåé˜r’ï`ëÙ5ä{YOóL?NvãW‘.[ìß‰Õá6¹ý`Xºs–ƒÁeaý±Š0\c¶U“5Qö6¤ŠÔÄN‡ÄhFÙ=‰Äk Ò¤(~¿ÿIó4cœV‡!ˆµ °ÉØoŽ¹x[øš¸ÑÂ@SÚ'	¥1”+’Îü™+ØnˆVÙŸ
Ñ™ö52÷ò“*­~Û“Ò€£O~ÆôQg+)¿$§‹ŸQþWÞ»5îagJ¤9ì‹îs>îF6ŠŸ8Ge.êtCø—ßce„ZßÜ—1›ÅŽ ;3#g¶6M¸=²Ç#™Ý2LåÙ@®	Óyzµ[ÆP™¬Œë^ºÖR–Fª¯ædùïæl+T[¦¶CÛw/—å6’léAKÞx#·zþ³ÿÂžû¶Š[š±­(õ~¨Þ²‚úbèçbûmÜÓÍµ-iqÈ¢ù0Yˆò6º0MÓk‚êïg$jÇü‡éRˆwä\èô¥[NŒFc¥“3?ÑþÝ$ôSVœ%÷CbjÉ[Æ
E3¥lhëéÈ¥¢þÿîý·Räg©)=€ÂßBx°†çè8*Ø*OË.H¥ÉÕÉ/ÿ~¯îuä<­Îj'¥qO¢ªæNéYµ„X§ë­`ü0äÚýjwƒLÝÚ
‹÷’òÁé…Dàè?#çeÙ.!ºÄ\î#©éo¿7Ú±Oë¹ð¿EÄ‹l‚”T›B¹º³æULãª#YŸ.uâø†ïz¨[0
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae hsCsONZmcQ75Mv0RP7aQ+9DeTJv6bV4EW2y+lEryoCHJgEljyHeO2Y6u5smTrmGJQM4u1By9kmBaHDVAWLzPpRk95XhfWELdgSck5Wrz+VrPLDnJslAQOL4ZS/1Lmk9PZsm6o8XZwlKz9mUMiS2R13lcyZAmSEweOMuflRcNkLbg801kL3RKCvzUYuheaQhA5DYHOroWRCqxzIzPptJk7N3PcLrGf1XASnniBwId1azi9jxOPeR3tWO415b1ut/SoMrNrCl2HFiawCN79whnvXQg24PQzUVJqScoEF0GllTbuyEzIlZ1m6UDmQzkQJFpVNR9IJBX3bu9M6RjP4biSA==
