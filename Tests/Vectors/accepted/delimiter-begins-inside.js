
--patchpack-envÎ‚¥äq]{ÊMô6!]´ÊÃ¶¥AF~ÕF{%êæá±g>’ÇóyÓo¯”¬æÞpå-Aÿ6¢{½‡ñ;Kq|*Ùû1ØJ‹baÈ”°w‹æ	ÊþË2½¤-±õ¢l¦ž~ï	*am±À¦}@GVœR$(/Ïêb<ïK\Uaö
¬z±ˆg6¶ì`nÙŽÅ`Íè†‚éãâ4AØÿï|Ä+Ï8œŒûy€<iKG 0¥“ˆyzsmi’ß ôè«.Q5¤‚ŒR¶ðüŒ¹•ž…þ©ŸŠ’â5Ã{ls´`80½ÃRiØ¶x[±lÇÔgÀä!ÔTžÇc3£àìG­1
ÉÍ DéF:ÐéòšK3}PGUWo®‡Ïáë(ãj°ß­e¡{åÂãNG+5@ fñe4B÷:#åþ‘ÒtDatßÂ£Ü”÷êrÍ…³`ð[²ôë`-/QEY‰“,çØÐ¼W*×òÕIH*Øìë}§ëh~(Iƒ!@·‹´ÿ³þGgryï9N"ZX»]¶yùR$À~–bHÌòi®²Ê«u¤ðkóDB×Z´«A?Éé¢¨Ö©8¯‹ÊlA÷”‹šûÒ‘ÆïÚ”[àˆ|J/ºSùøÂ–¢é³%á:˜=äH™fÂF ×¬Ù•BrÝö48m7s¹ÛÊV©î²#C©tOhè„cV,Y]úXkþ¬OÙÅºrŒ'þ •rª•	Ã?“²ò9 ãÔ§ŸV/åÏ7´>wØm‹J}Ÿ’~å£R£@Ý<J¤¬\ÙÍu,öï¾¦ÑŠqàû;2ìZ=›*ÌQnƒ
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae W2kF8k3ZuLpwDcosMI1q+Fc0Ets4eA+BUJZTYJmfN8vsJmxIJwcHSvUFTjnXa+B6xsz0UOLOsleVgn/gIdLlJ3NZ7/7xBt1I5UdsKp6weJwG30Iwsv++TnWx6qUjhuKSvnx9o9ZOZ5suXR71kpux8WL8Z+V7xshlDuIByoitWX6UT00FnCDhtYrNpaABAQoGKwlGM0Wc+b2e7Llrnd19bMmz9MKHSw4hevv4YxN3QT03vEYOHh6BGSwVpLlm1G3CIjkiL/QIkjAo0pIjhQ2xqUssQMHpDD1Mav3/r8kwMI422tJKBaO8e+Wu4EmqaVLCDu8lhXfKXciymKMBGhDgNw==
