œ[²‰KðôÃ\ÌYžêY’7@ôƒ]-Á‘fýM¶°#éQÜv
zAÂË"Òó²Y1ïÀVÓèlŸý…
O’	NšÁj8áÓ–ˆÆí î¢ÆÊ$(O–Ës.¢jãÄÅ@pm#ÝD¢ÃGÆ=Ï"« •Ê½%
qRR‰ºj¬U$Åô†pˆŸAL™\9UÐ‘›£¶§£M@æºÈ^B+&¡”D4/ôqL4•ðM"™úËeíñŸ-dàåj{`8àšÕw­k©IŒ '§É×°åxœ<W$ÏÉÿþ›‘×¼ëÔ-Ož^Vm>üEòjáÐpð~üìgQÍM“}Za<‘É´Pe›3„ÉL„êì(I§¶Wð÷‰Ñ'¥Ô¡9?[“‡ôËˆìr¨ŒŸ°¢ÓÜ´‘Ì˜‚ÙL‹êkŠÁr”»BËdÌ4WÖ¥c¥È+gÊèz[xœ£6Å™ïuM•†ôjv»?Õã|}³Ãùàö·1ƒö»'Þ´_©¸?xmåØ³@›jKôG›1 VÖ¿ÿÉø]d&œ‚št³,G:‡K©ßµÀª(Óï‹Ò.FKƒ(–¥@Võ=å1¥5K4K€Ó4póó<DN‰%3¢ÄJýÝÞO¦ÝZ»Cæ^Ë¥Ñz‘SNÖiøè´. lÄ18ò]æ–©{ÿxV…éaÉž%ýR·Ÿö#((ä}L
+gŠ~¯!%k˜­Dj¯Í8‰Sr Y?Ã¬¾Æ®NfòŸA:ÖÛî2Œ•D—[Œ*I>BÝ—–»×q´ªƒ>Û‰
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae h1s4QKzTFPIu+jD6tOOHoMSMbAwh0tEa/wG/nZE6ic6i4j+RvJR2N0/zUEZtnzMF1uiTVRUIEy0QU+em0fbcfXMMwVBNRw76lVVuMhvMk3YpMxkKd0NptXQkowt3VYmn/hSzH0Ytdhe3IYeTdCxk08p63ZvGSeUzYASp8zTpZfLkeeSXFAfa+ueuef8dZSxqtUb0FbujBAJ5r8CHiOEvGPsQmB4GrCspQhH1K4L23610tMggoxoqY6Hnu+GgtBA46v1B5o/iRDxMyxR13cNZLb3pA7gC6OitW7nyGqUItFF6SfVacKxRaQDHjrbZPd3ywasCyknEePnD7BKxgXlFhA==
