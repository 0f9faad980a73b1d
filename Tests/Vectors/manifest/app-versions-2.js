Ä÷/¯[TKÀÆ‘©¢‡×~¾ºöAþR7;w¼ì´Ï—ë©DÚº>¸RºB8Y·¬¯˜áuù5Ö8‡0ë}#*ê	O¾Ç–513p÷jCºê’¥}Éqý°ˆëYiõ-è(ýš6¼ç¼›
£û¾óo×·™Ù†eÍ†CßŸHŒ'~®y/¬6$`ÖžÝS®yƒ®ÖV›ÇS,­ût‚÷ˆ³ÃŠ/‡Ò·žè´!bM%ÖùÂó¶$J,TóT‚l0&ÑiLýuO1÷Ž¿<µÒü.yOùÂ7 õ=B4tÊîáÓ›°ÓÞŽU-åDá+‚æ3FAà–º²Ãh@Ø*ó\àwI§áCîÕ>‘Õ™“ƒ_«·Â}–Í^£‰´b%ZeÄÝó•)µ
Í wºO2îÜ(ú‡fÙU:¼ñÚÞíäþÙk"êTàŸdm»>cèOÜ,¯3‹·I÷ÚL/Sð@ªw`$%U=/»ãðÛM$cÖ4äú#×æ˜äãÕúß´Äq Á¬~³EÝè:*XŽÌúØ…†ÏøóYˆaŸËyVô·Ç¨ÌŒœ‘Ãê¶DÒù«ÉÑËVjô.RýSºcoŽ-¯›ijê- ‡Qf…k°Î•#;…ÖƒY\ñ›¤SªHêIáóÁòWc¯P¦jzª7ô0FŸ1é;^fÖŸ+vÇê˜ª¾VÇ­”]Ï€ÈˆX]¿ô ³„QÊjæ[Öëâ`DxæiyóÏXA
Ø–uÄU£BÑîxù \&ÏÇ£9A,NäÞ÷ÛÜxŸ¼qwè7{ú¨.S$T"˜†ÐÝ\Ù™MŸ 
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae QcuAVlBVUGFY+Rp2bozZZ62v2OHG3jyGXsAqNr5yHNYNBSpzLvn12U7Ru9Z/n10ftdC4qLEtjlpTElIArhm9G+5FVhKXPN35GZqT3ek7ty2bRDDy5OMfzM7H0/6gfvsS/v5+wEOw5CUhUckEyScIxV6BsjhX5QJgyfPM5LCamhlrEO1EXldiYX/gCNIuMCWzOUBy93EMj+sfWsHT3f2sEcN/IUTSXi6uqUGNQwEEku0TaCpGaojsSJkT5zzUhnkwxOBkgYyCD9RxPQIqXK3HZJpwLH3NDUQMscHmkcYqhmZkZTCcTpsqZRvpUuqFLD7EAHAzhDJajx+DYhkNxzEDtA==
