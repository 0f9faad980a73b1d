éù¡]Œšó&,Á‰Ÿô™ra`´ƒäpÄ8•öRù©»•Ð=û±×á's# ?Ÿ‡ËŸ6¬GOêwT£pUÈMúÓãªÊò÷ø=˜uú°×ÛIÈMˆ»ðFŸáá¶éÏç_Ät‹/Û¶	¤÷0w
PåQA3s”¥9uln…ãëâØèÓZÕ¡³d_Ò³xdAû©fZ×¡Äúå$§oôXÒdZIUð@Ãq2’Ê³þ=Ð¹_¢:ÜS=]^:3ÏgœY\Gš]ÂÄ~Kƒ>ˆ¸(Uà™N k'áÝs@M«¥vø¶Q-F‡œÿ¼+èÛ¶™JÄžYì©3¼w
´ó°?}¨Ð;Å¾¢œ&:Ô‚•Pj^&@?ßå:ÂCñ<"S·O÷b‰DÈ–íX&3»ZaN€ò(  8	1"ÈV…]?w$~_7¶w®^·ŠLJ^ú …MÙ$lþðýüu.UÆ¤¿êh;ñÖàð¾¦&Nð7:7%ßoâœx·ŸË;ªNdÜTÎ¥ø¤3p FcÿGƒÉsú‡ìŠ•¨2|í}•…9Wþ(Çþ•¨˜>×„+à&,Øø–€UŸñºêsFÑÝ'&…„€9ÿËi/â¯FJ>u7F¿£Pë9\;ë‚™ mŠð®!q¿QÿÒÉuÌòáUÉU*/õñ¹´2‚¥WÓ¥‡Ô€Sø×„íÍ†‡ªsËqEgîÚ¾Pcù‘€CÑ&%ý’•ð
¾YWW"6ƒ++2ñ.:i©ç±àù…wZßµ]$5Þ²4+ï2\>†ÂÅ€¡e
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae XG/YZvJ6a3+EjRFEGwk1nuLmdGkJEvqqOJGeD1XYXwlPMxk+mmAWEdAiMiy4csXhOgzVecTj4zceDcwj7GUFPvpOulcqTVzzEhvJwEfRvha6KnDqpE+GgaDMilvVo2xTUSW3ZVkgQ3SM5tM9vDPw0ubcyPx58J9eF6WfxaG0e8J3wg/P3gfaXcoi/fCQIJg0nHXOBJx3QpSoump+iBtmL1U5D3uH+98ffT83wlTI9O34IKDIHO3Jp1YvVwY22g6Mh2Van64jm6UnK20QD3/YC9IXtnWgMrohz+8Dv8Liftk14YDaLojlmHBkpY6S7bsybECUR3A5KTOBf9JuSULdag==
