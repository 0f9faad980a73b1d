»'¸CAÕÔ%ÖK%«Nß0¯WªãõæYpÃ"£ðs-2êÜ3r³Ò9>«„~rÛ
--patchpack-envelope-1 aes-128-cbc+md5 d836981889947453
rsa-sha1 13f523df0dac91ae b8xIRFUyr2OuCH2dL/SCQgMpJk+IvfYrQiAER/ok8BtqA9QQEb8I7e3jgc4HbNFhKa2uj8/VKVpXDM3e38OS1+VLQ2G4f/lXDjQIkIl9wE1UH4tQSuV6+Um+rxpCz185oBQNtoiPnSB6pIisGHMMjmyMsv3Dbwse3NEutJ25XMIezJdKuagzoAiIFvndK4nRVEzUHmCJuosfsF8se4xozmRQms5J9GyiSl8/pcPbmeA2cmqVNitGh07ptjog1oUeL6UEsew5Mwcs6PtgmURBxEEqRruDN9L2laZxBcxeFvGRiGr/r0L1DG/mqbAJXdVQQ4FaeeVgtvl6Y/ZqA+ZSWw==
