YÐh'úwµ1Dˆ‹:Œ{—ÿÏywðúÿ£ÐÔqÎ­Gn•òîµY°‘k”yúdc
3FMœ+=IÀ„Ý^åºl†µ~<ôæ*­[Ó£•iãl«)6—~R+ñ? ŒÕ¤Î*	ªžžÑúGÄd0õ¶Ã‚¶¹ã.X´,à!­ßÃ<ã<†Í9éXBôòéÌ/±½ëjÏ‘¢îáó9)Ô» "–åx¬~íÃ’Í:D´Ü¼æI´Ü'fÉ)„°½J?|³Pœ~ÈD i©YŠ{\ÅlÛáAW%…k[JióÇ›¤TØýù~^ï­Ð[`™kµÌ2yùµVi´
°ÓæhÖPD?<¿¼ƒÄßtƒ¥òk/ÿB¦±™#­äáfXE¶~º°‘T¸Ä}Ä>»N‡DÍúèÄ²F\LPÒmÛ´wÅª~~g ¸¬—ÛC%z¿fS¡¤¢­ƒLµ?mœR?ÂÃ»¨~™jä;]e_¤¡Q¶pàÔôwÇ¤h›Ïs3·ã4²a¡ÁKãÄýæ%õîÜûÿú]«eM•µ?<ŽA+c‰7c*¾>³Qš§Ä¬)ìÝ˜„Ý²©ÏÂEžõ|Š£x”SF‰|ŽÅ¶§¦n¨Áäpè{’õ”ãÆ¸âŸ)·5ù‰ŽƒÀ*oÛt*¸³*ŠB¼Í(¬ó&ì¨;ìïˆÞ†öA¨à!¢_—J6YwŸvçãY\rúB’AyoiÈ™p<RÄÉo«©~„R Jë|ùUžónTÆº/‰Ÿ¢4„æ¥
³¯äRŽÍÅõÛ}òc]xÅõËú)Vëtá—ÜIsýŠØ3ttrèqõëäÕ^­R‹ß¦±ÉOhpã
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae l9Jg5xp31apDRBrSzewjmUiNj2rL4Lr0u/Nuzoh5vJPYMxSgz/OmTcyLDIk2EVEChBsLbc35AQJT8G2+LvVt5bODJmSRurPX0LN4+zos0Gm/fKUE8r3btaFniFuT9YcYC9shjRYlQSf8WUtUE9VadyE6Q3+Fs4wTD0QYHP+HrMPjIwAQUr63OlWBH+UObU2MZC98DyzflPGfrZ9ziRlZ4M/3wOZKn/TGm3En3QWVC4xAZTVENeyAfQV7JjwI744kPyi8jlPijBvURVbkFYWT2DhkqhBVs7bH6VuMjXc7oGHEn/yNDkWu0dBuiGBgOQbxnhqI/aabcgiFdnePCkrwTA==
