Ü”ÐÜæÊo1×·“ÉÈ\à8Ôa€ü’ƒ ÓÎp?2‰Aˆr]ñ|ÔÂ1z²‡WHÁ2©á0B’ÎNjY~ÎP–æJ‚~xŽ€m+µjÖºE}ZgQ£î‚UÜ” \ÒqÓ)]²q?"žw)È™Ÿ
&ù)Ú'9ëë×·c›:Ì¾¤Í$9 k^tÆ,intÛé”x4?½Èö^Œ×˜+›³Œ×YšW¼KTZ€Gapp
Éˆö½%ï‰@ŒÈ¯nÚå’H6(l¼ï÷æ¶3Öf}Ë»÷
“Â´$¦-w?Í)wIÍw4þmcöj–d«„4Žß\~_žÐ!Û…¿™ÄsßøizK;ÑÕmú²…×Ð2‰ê­õßÎ@`AüDv×á¢¿è£Íä¡œ}akïLî÷Ç•yÆ3Ž"do˜ry¼;ˆ?‡L*ø)ó/¯$›—ùÁ_Ó¢àK™»}1!ù”Pa~šû9Gxué•ÞVÊ‘nY!‘ºÏìvª‘MÒ.½¢vQÜÉMÊO}{p$'‚x‹{2¦q(ã¬¥k›ìô	7Yõ4«§º,Ù ¢¢vX<óDZ§¿Ñí Ø6¨n,ªÙu–òúÌÁS˜è‰Yô¤eÍ§™x¿ÊKŽ1	%ç¢Ø)Ý+LÜžñ>Ž3ÿ4nF´è‘–ç>Íæ×8Z€RX©Qp &æÏôNy-s«•£>pµG#œŽI›Ó~H§€ûOÑÕDVâ›ö“MìÙ<ãÚ8Ádaô:Ñ}”‚LA]½!Ú±Òuùm›9õ¹®A"íN+c÷ªfÑNyÂÔ›¹â<Íä¥Ràqgà×
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae PiGA7mM0linV+vzZoz6f6g8ErqI49zNNzckreLkF/yLrNTehbOK0ifZ6aOHf4INF9X3JEw0ME5SRoF7+o2vH6yWANOuw77olff5i7Hand2/kKVkdNo7rK3+nk+TgL3vbFGdDksBJ6cJvMgX60lyVxQy7N6TgXEnZChPPb5nZpelf19DSQpEho9S4+L62fmibTj8ONsgN2uXtRT4sBNQDVGCDj57ac48pPNqo5ABTefUVODW5qo4vvpfIHARk7HdGIyzVE48w12FmLmGmSOyzNVPS+h4YGtdVdw23PqlDqizWed938sYFfJGsE5PBAMzTCG2dVws4Zp37PJB9ZMfarA==
