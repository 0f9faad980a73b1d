-- outcome: failed script
patch.replace('T.run', function() waxClass{'T'} end)
