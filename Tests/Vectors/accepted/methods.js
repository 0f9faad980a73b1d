Á®ªd%:®n	??‚4¨tÑÊ_˜LGŸÃÍXÃþ]ž°¢ƒg6/ Râ¨œ…‰m&”8¨ôì	9êúq.)VÅîDXÝ=6úÈì ‰´ªìár÷ûô/»ñëlÄÈyãGtSèf€i£e8 Ÿ[hBÒgÅz†’zË¯ó„¹Àh¬Æ•`®™¾ú;‘¨@¥ñÜY…€˜³Ûk^'|2Ú±m'Á”Ö¢5%·btúOŠÔ|Bì¢}ä÷UÑezÑ#yÇ7‰ârÎyêÞ`´B{Þrô!°Öc­60ð0ŒxtÄg]TiíùœðÄ¥†67Û)‹p'DÀB8Òüü¼[:@¸,ê@‹ªLŠˆFŒ}Ü;“M#Ð®!ic%ê~‹xh d:¬’‡].áf%:UtŸuž¢ÉçãÄSÒ5??ñl‚§£®GM¿á;d¢YQ½
’Äc*	lâç@™þG´ž[ÖÚzÞt€ÏÓå‚tÆƒù†Àý$ÅÒTüÁŠ=»¡˜ë£.™ŒSÃ‰\#¸ÕJ$x$³
¯ /FX^¸û6`¿qs‰d#oòåq':’s#;ÝÎc¹D2)¥‰°mçR5wb´zÆ¼‹R0Ê¼xò…V*«ÙS¢Ó¥°î7+W‡Œ<W~1 î¡‹bŠñ*wfqæRB,:ðÆáÅäÐJ/ƒhÓ¢¤ûƒr^
Tì;5Íµºü=.¾„Ý4a4 žsÃX¦è/»ÀïV½f–EÄok15ÆAÕüKq$¿ŽMú%(!hDt‰ªÐòñrkdZt{_{?˜m( )Ð¥5*½Çýt±’öö	¥ù]~Ì_ôûnYí61x,Ú
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae NTNT6Xj7Yur/n4B+gWBnFUC+40uc0S6dZtRCavWyfmqoPl5fZ0lHSNQZ9+jWBYdet7DrgOANy7KjyO05OTQy5+yQ+nZ6c65SXA9BWEOpDL/55zG8/TX+rCdYEyyJai2t3spBP2AGGTihtys1InCgzPOJg8TCmrWuOfb4tJL9oqIOlm+ncVzPwk8jz7aUGLR8R9a2qxddlaeySU5ipDpua0FPKel9K1NPvQ5CnxMarJkzweevkEfqqNi1nF5p3ez5YijG217fUUM2ugiQnd6NW0dv6bOAuVW4ug81AfMSF1WyMY0nUf25wM8Au6vHdcS+kkSZE9rFhac9YNQg8ndt+g==
