*jÎ‰'øØ‡4€0#}çˆˆŽcÙe)‘……yYœöüù¬H~E½ð»”‘Œ¤‚.¹Ä]bn`=­—F9g/à˜hîÖž,qøü‚²ëÏ•D_à'~•Ø}WÝßÕßù‰»ºl¬Íé‚æ(¶SÝA¢³+˜á=ÑÍ¥ÿ‘ºDCí`×báðßÎ=þíbÀ¯:P‹…%^û+Á\Ç%Û°AÝ˜nFºÛY¯
Eð:E;Yvë ·¦>*@´·‹në)q<
/“ª`®½¡pØéñ¦ôïmKp‘ÈÆlhB{Îê
á¢žq¹ƒ¥Ùª¹a…3Ex±¹¤ì!RÆ©Û!<¯¸…¾+^+ê +Ð£¿Ü-Ý>J˜ð6HlÿÒG4(“º5>Õ~™dVv‰=ÑXÉõ0eÞëàÎ5Ms6o=v9Ÿ«)"ƒ’œKÎ‹’ña‚«ž…YÕ7fv¯á¦==›½îf¾H~NéÎì«P<óõ~uX¡±DoYß‰¬–uÅÑq×£êà¸&ä)çdªø\6¸½8o¬uå±»†\xR–äWù¡IMtƒcy	u+üšhŸ ìã¢Œ£„—Y-+‡•Á×éŠÒ‚Æ1	¹è¿…¸æÜÉIþŠÔŽXXÀœ0¼?µ’‹mï&	•bË (¯,Ëè`È¿l.!Ï12	I¹BÆktìŒ9ˆ¢ª(êuÌÜ±x3`•xœ_±a¯¿ˆãhtÛVƒ»¹—°µ™6ä4¢zÆ<3Oêä!_÷¨hhÙWÃ¯0oð5q^2<³GDzö­‰úý$Q¢k£Ú˜‚
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae Q0Ypfk5mjFEKZaHMBdK2U5GqCR4JthLOREVbx2QuvF3HkBBbcMcKpofTf87HsmAr98Zz3FqTFIkK/BUh/aAOxlJ4Vcej4UBVEvwzrz6tn244gEZfi9q1YxCl0xybEaLbdP1M6cqbeTTH7ariodIVidvcFWq+creaWeWVEcB3NdC7ioeuEFwiR8AYJZYexuzzaaNhXKmD//E/hPPu1sy2fRsXxWvSBQSB59cAllBGTKMrFIuq/6FuWek2zJ2fg7yUL24BjAtVmoLqLGs1sbDP6jMPESAyU7BUENR0OuJAUGc6wDWxmSTcSDKTIFlnbHkfJCkIMbInLDi7+voSWpHaMA==
