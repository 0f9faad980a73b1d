£Ýaâr7Ì§EµXó“¯,ªâ1£ÞµÊÉÑU›Z!ÒO2RÜF³{š	MêË³M- Éf.×ƒÂé Š³g•íö°,Q`ÓHezõ9Iç_Ø4z!E§@ÿž¤_à·ŽJeX2Mëþ³þ¹&‹V!¢®ŸÁªVþ®}@†>¬…Wf°‚û«n @o¥ÚT=Ï4Ç3±¢šSÑ‰o•r'ö¬'K&—78  î±m1Ï—Ãàb„š´úÛ™i-_
gÀ¦@˜”~N¤ŠÆdî\â$ÚOÍ“*YY5\5ª€iæ'DKŠé<çÎü/!_ Ì“¾¥(‚RHâ,Až“cèè¬“v¾·ìy_¬Ãìx2ÎàÐC¾‰‘)™¾,<¤%Ål¦§9+(2cgÏ_‚L¼Ô	²k…fk),7jÄ'N`„Œn»l3sÝÅh30‚Å©@ú-Ê ?{“G7ªãü¬(%‘¡t
S£ñÌ‹ôßgSOŠ˜¢Áñ6ø3õç’”á˜èc®
`{w¹õsÄéÌl-¼i9ÒS,Aõê°Ž#b‹Zö½¹³|huyÚ>OÖLoÂ4Ïv©Òéÿ0Ô@EeÐB6·è˜f.h8³'ÔnÇ\Ö3…@¼/aÝ8CóÛÔ[ÏÆIb}<¬Û	¼ÔÛ`:ÄÎc¿¼JI;Ò]Tê0ÔqeÓAÂeŽÎkã+%ð½Æ•c†_Èðq{Ñ£?a…þ\+%
ÛÐ]4±Ã†ª
Í{AÏÜž(îÿøM;‰Aõz¿ƒ¸ºÛ$ŽÎæÓÏÁÝ¯ûÆ~>}Z
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae W3jXIAwxOJKjGFd1E6p8tRLRGd4fu8MIuD8PKhKzSMX4bEcZ6emBSqmIZyOBEWzXahSoxRdjl1MHLnn1wSGtJIMy8kpirB/xeSBkVFdLHmOwfMl3DR8EaYJra3V4qGsfYcL+D1ZPq+7GtH78lKKKbTW+YAcq8yV5i235pv+o59C35z92n1FZcRLbBlXjwDBmP3GCfxgnursQ35RWU4ZRHKaeWs3HZgL+2obrmG8iwlq+rDgCWtNXNWSWcFM698qECyMdcwPQI8+wFfow8qBUYD9zzSL9o+awhjpPtScuNjdU8uT9WNt3HzFowgBh6HvTsxV5zFeo22AXhLUEceflwg==
