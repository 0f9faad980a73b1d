vèT™‡eNºLAì5úé=ó‰`kêõ[Æ»)!	ËÿÃi×&û©¶y4BåŽ¦Å<Õéà½±
b7ç½SÈõXwà(aKÔûÜá{Ì‚
Êd‰±„9áán*ŒÃÇ|Ôˆ‚c3Ôv¾'ÂyÌšçNòñ9Ž
÷r¿›MÈºORL·´—öê‹0±M’ÿ5{Ö‚lRdŸüòÉñõW!–KçùBe»òþ[‘nŽUíÙ]êÏÔOÆÃÛ¢ßÌõl‡à
,%³ªêš•'¹t¬JTK±oµÁüOqÿ¿t-¸,œšÜ+S‡X•@oîÿ«‹1®U^éî
(\d5È¯q]\d§¯Ö•.¯êN4RÎ‘£GLbŒçwSÝá†/9ÄÐ°‹—ã;á,¦uÜéˆN°%ç©Œ£F$3vI‚ý¢T¸ê}9s™éào]TÂ» nëÜPÎWÐWzµæäŸpî0”*àx›ïI8CHÙn#¢h0œ®ùóï¬š@'2‚$Þˆ·Á&ü˜’IéÚénôX,¾XA²?Á”€€µ™q%P)F!‰•þÒè»:¹TÁe!Zò‘w,#§¯`·U-Ÿažo‹Ê·°¦R&ÓdZû_úÜÔ£àó±Žï8MóÝyÍ0¶q¹gäª¡uYg’.éé†±*"ß›‹k)è×€Y¥:Þ"8ñ¦aÏÃÁ û‡ôÞ-_Ëº¦Õ0Ü[ªf@¾Ô“{…Ç¾'Nu•!õ„°2
³„—1rœü‰#Óê¡^{ºÆ˜G=Æ.vn~­U¼:þ·ìhÿOÆ±éA=ÙPƒUÄîG³Ï¥$þrðéÎ·ÞX2Jb
ßéÂÉ;žfÌóx·m;ùžR'mÌp¿£Þ”³è0R<HÁ
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae qHSuqA+u2YT8mmtE6oG+LsI9zNzfcMz5xG/7GmWj85KP1targhvpgandtEWGY6Y8FCm330/IlCIuM0fQWvQ8mmnlc2LHFTBd3GwHAfXhDxh7ERDe6jV3Zj0I62i5cwd18VcRdbx1hg+2XvKisQ4ec6pqJAZJHLF1+pHguwGfRP0pUllhBPc4EJmnxxj5XeLqEuFXTh1fcluz9txPliSMP/Q4rmMlhwWie5+CWecxAwAU48VkcgAsqDWQWVsVa6RqQNeR2AeW+cImesCUL7S1OP8kCX0EXC6Di9KanafV/bW8PTuvkGY7VgIM3PSO9duJ0e5F0h99QNuctNWuMn1pYA==
