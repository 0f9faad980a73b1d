ÕQqÔýiaMç_NÂDQ¶[Åšä1Ø²ÁÁS…M,× G@’H[ö„qæY’ZñVú:q\w5öGV^q°Å7NqÍ F%"·ÌtÉÆºc^ýWÎõm(“Õ|Ø4BÒmôsd3Y–Ùõ†¢xlg<"›!ä{4†Ž]¹`Ñ²×S¶ú7]É;'j7ûÅr4`A™d9jZÔzSN“AŽ­§öù7ä,	›WÖm£ ŠjXæHNk?ô[áZÆãd‰”!*i¢Žõ‘}æKû×|*ê#—mff2Ù°Àäøÿ¸/˜?­”êj3é}KäÙ•N0°|ýSÍQ´ÕøQñôúø>¶cjƒC!Ë­®š-aæÐ€¹Ý]«ÞlRÅ©ŸZfoŠ÷Îi°8\CàÀg­ƒ”DÉ^O‚ï ("Öº;m=˜H

å*hg3ZØ‘,t£TÔ<f øo_ðÏäRwJƒÇ	âgŽ ·ìÅàŸªÅP²ˆ£>û™I4>Û—Üè”V‘XÄOrE3ßMO¤‹ù
,U]x"¼ÃßQBaGäÓ©Ï„Œ¹ì‚ú¾$®î÷ÞÕcvá0lk@£³9
ÌU½ö`tŸh¥ >0µ(`ú¯Î¦^tbMU6ÍÄŽÒÏ'ëM/ÖÑQÑ÷¿ÿçè)8ÏÉÏÍŸ›ÄqIZk¡Ö¾,lˆéÛN”dQò@Þ—§ßr)ðRÝz§2òiôá“¤€HrÎA–ë@ã(Ý(a¨ö€\ž¼•Ð<_?Š+©ýãþ=+¦sšäHýGéb«Ù<8$£Žh¾®+u¬˜.sL¤žÏ†CÙ/ûÅèI®f˜";
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae l4B38FqwhNxhvlyws+NPxEg8mb9KMVIBoI2bsxziybkGb0SAVU74aROuAPEJdgRjUdvCTJJCpOMMk83JuTENPTb/aiyUAGZDekhEq3Aq75XgpSIB+lrKuVCSiFkNWVMs46KfqfzrtXJ5qMsJgMqmVNrqaXweUmdA7Amc/KXxs++ZP1+8ZKuufBd0y8qU8pqwUqLe08d7lilnrHqjXU2Ghdl8rl7EWNztWTv51DSPSqxENRB9N+AcnW4ZEkCUJ6twa7RwcWjjYDlFHyCICajGtd+WloHx5VwMUDvw9VgxVdSJBBRp7mAHA+frq5DF10rEye3Mbw8cN9ULPN0LwR6Mjg==
