÷<=n,îâþå»rDt§¤iëvZTÊ bž»ÊP7ËK‡þ
³	+£ë­w—àt–9žjLŸi$â‡Œ œ	†¬Ù;üÉ‚áÃÌKZK©>&‘î¥%D!BeÀÄŸAW–H"RœråËI€Æ}Oë„a¥‚x{T×ÔX5FQSs÷¢Vc¤°†Oc†¡2I×åÿß£j£;MNÝycÆ¢¢,}â]ª“Qy²+ô„nÓ,aWW£ƒ0Û$Iœ¦êÃø‘v=?y“ÛÇ¢<WzƒŠ¶
Ò×_Êu^6½WJ$ÿ?§+O˜²CýŸ#MB ‰®ÜëçØÌ†Šæš8;ÙÙ?td‚õ­ª â&fœùÜ8RD¹Ð¯«x8,kî€ÊöaÌ‚%*ÀMü³Íþ—~=RƒÌ¡©g[X§]³ˆ_D¤P§Ÿ@ÏŸ¦mmV·ð.¦Nÿ¨ÇC0mNÎÝ¹ J"FÕTÈŠ¶ÒÁªú\„Ä¶ñ^À¡Ê¨ýH'ƒ&ãdÞ~3+‹ýÄÖ8KzÄ`2”ÎÀ.ù‚ûË‚€È	ð9@WnXy¤Òïêù‚i !€t¥^›Ý²ÜõµY%*ÀKÃ2)ëÏÈº)wž^Â3ŸP†·–…@Wuï!I/©éý‚‹^
o!Õ;;ÛÁlhK¦öI& Á¡$²ÕbbÒ•dr®p§òšºŽž8RðæÔ`y5'ç"JŠ7q0}¼k=š!ÃÝ éqV8‹b­Ë˜RŒ‘`d½BJ{íl-:Ñ˜âåš!ÜíÎ•âó­¹Á¤"âBâ3›OõÊ¾£¬Ó9X¾mŠ}Pyíä3Q®À eÞ¾é‰
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae wre7XZhxwQTx12OO3lauO8ze9dVykzlE1aMBJ3PN4Q1Rd95u0VuAeRP9WunM8Mk0AOJStNOfDc39TZdXLBrg9nJUNCshwxfypCpP7s5ORsfW4arlpBkpdNARSldc09bxhBzMRVC/3//LasBrsHiuhPTjtF5Wh5suo+rCc9sn7qEOzLSfKlWOwf6vCdvZcrMQAxM+4psPRUN/R3MnU0miXoJKsFlm6aD2HIDOtDkXEu+XBepHcG+gvTvKsxZUJ4bTTVlM2AyBk60HKQr4Yrojbsk5YL6PDTypCJUNAotVDlK18iHFP5fSzbrb8aBqJVDPMuqnGjGwL5P+f0nk7WyqAQ==
