x3ã)Ê»†9Fs„owl5ƒÇ‘ŽhOx?1#ü‘F­ôêZ³˜ƒ°×¼ˆÿ$Ñ1öjUùZå_Ø…ì»ðIù¦µeÃ}u}ù¤ású¢AÄšýîÀ`†]jcÚþÃÒ»ROÿýíúþLæ7¸{vÉZ.M!t£kŸßß.`2¯œPlZ·Æ†ì(
Á!Ì±Ç¬íéi`w?hŠÏÎ>ÃËœl-æIt¹4´øiã&T¾,ÿdåË/!@8„Jý¶¿¸pufG¯UâøŠù×†z,VúÃØJu¥§zµßŒ)µü3Y‚iTcëíŒ2ÌúKÌ¿›bkºëtöt
ãª}‚ø×—p5Z¾§ùŒ<æoŽÑBIS?³T~zoÊ„k­”¼ÿþYep6ö‹lCwMAh½³?Ó4ÿÒB<e}‚ÖúHü€	×úwÙØ¯œFž¾¢€»Fó§@œJ÷dË6­©ô
ÿM›…u;Xã<áÙ®ve…Xâ$B€”0’lâ7HÖE´z]Ba‰çž -V¾}lâ¡@ìkãyz÷ŒéõM¬g^Ø°sÙ™bõš¨k÷à®^ñ£Pßj¼l=ígsâú{HÂîm?öèµéNË¯ù× 2#à!»!=E|Õò•¸·GíXwß—¨$¿Í7\¸èˆv„*‰àŸÔÄ@—9ƒw•‰4Æ’ÿZvaVGYp"¼wCN‰bç‡X÷…›ž®'º¥ù;×–fIÌÇö‚1ÿÀîå¢’L¬ÚUj95QAH €+üv¥Ü(låýy«hò	È9ô¶EJ•Ù.M¼Ìµ;
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae TtbNN/LhrOx41mgx59NILOcJkQwxiTRgqmtuwIRCri8gz86c4efdv1Z/13lvfNVwPFEJ+TdwaUZDnfhQ+Mqf/zi2AkqQG66ElUqC/YboNKWtcPoOVgYS5MW4jWp2GdE4b12OPapztiIToED3wts5AhOiNTK2bknmWDYdwjR9b+F2mfZrWLO5Dq+lw88qZewQ12HMrKWECXRnxm3pCIC4q56i6vIG2sleeB48UbtXAYQZW+lAzcd9qMAI4sc04dI4FdwciUOP9vuls4STwyRDSIN6Q77tQLoip83TtWjJONNmkDlDMoLAnmE1OBR+Ttt9TurHs8Mtax35LGXBCN2z3A==
