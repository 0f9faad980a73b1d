hž
ÀÈÚDìæÃgvÂ&ÿÄ’®Í—×],ÿ%>nþÇåø­ƒ—mšÄÅÞÎ³ÐkiÛñ®šñJ±x[äù²yw©lÂ¦ùÖ‘z(}ðl-„1»5ÓÀ»>Ý‹b°Ë“ÁùUYºCdÁÕû!™›`î©i¸'°„:‘ƒ¹³Ö'³ôŸ{ìòÊè~°âùk•(V›x¦O²Á#½ÇàŽìßºEÃQb¤¥OMÆ6îÑkî’94†ßè_‘>sˆIEE'¤k[s6ïÌŠ…ù`GB˜ïüóâ¯'1ø¾¾¤—ƒ/š\Ý©•èº
W§XBE#JC†FÈ<îd£–òâ²lPz°V"=\$I@tç›ÍÓ¯ó‰¸ÿiÃõ.¿(˜s „X¬BÁcÖ$Pâ»¡Í#+èX³$û ó6Œ÷ºsw@ÂžÚ“0Ë@ïëÛ±IìûæaDÉ¦gÎ(¼\-ü~Â˜U†®R´Z‹HÜ»FZÉÕr24ÚêL0á#*KŸ¢yÊe€,äq³À¿ªº—¯Sd8óªóÚBrÈQÅpv‚ âÖÌ1gJ ð×MM*µñ¬»ÊJ¶½KµÓÈÕ·ªÃe»|E{5Ìliˆöó0nŽiŸ‚“%6e‰h´4úVº˜W™d¬ÇEl-b‡Šó0¦¡Ç–ëWÄ­2¸é6R&¬bÔÍýZÝ°aZ:|eµYìWù"2ó@£ƒŠïi+ŠDW¨‹<#XÿÅh*¤
!Ø‰Ô[T¶—›<Åf»®qíï“0±Ü«X¸¾"¦€­zÄ9o~®µê{®,wZC4tÌÚ—¨¸„àÇ2ì(}
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae GF3lW7gO+zsOfRZJpxoSFBBWzbZMUTGef0gdxDKwqvE+w4IZhHWZRTGcFPyp12pc/QZ3/7WQwsPhB3Zf1dZRIoSsjM1AE9erTReswXtjIYCUnZNfspwIyFWYMIjmDD/qsTvYvZV7rx418fZ/tTj8gcL5t2AJgvzBVrd0PzHJb500/QiY9OBLysPnzryA/uweC1XiwDyrXy+rDhCT6ZRWQ3p8Wjp+ge8uH4YdjhC9OzidfLWBMzTn1exK+kDExY+rVyFsiMkRu/LGhDus05rDf2GfZ/vjPeP2o+vFuOL/J2ZfU32Az2en6ULDeSQcpQYEWMYGWEC6fEeR1VkPzVaBHA==
