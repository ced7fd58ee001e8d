/* Earning money with somebody else's electricity. */

rule mining_pool
{
    meta:
        description = "names the way to a mining pool"
        tag = "MINING_POOL"
        heat = 5
    strings:
        $scheme1 = "stratum+tcp://" ascii wide
        $scheme2 = "stratum+ssl://" ascii wide
        $host1 = "pool.supportxmr.com" ascii wide
        $host2 = ".nanopool.org" ascii wide
        $host3 = ".minexmr.com" ascii wide
        $host4 = "pool.hashvault.pro" ascii wide
        $host5 = ".moneroocean.stream" ascii wide
        $host6 = "xmrpool.eu" ascii wide
        $host7 = ".2miners.com" ascii wide
        $host8 = ".f2pool.com" ascii wide
        $host9 = ".nicehash.com" ascii wide
        $host10 = ".c3pool.com" ascii wide
    condition:
        any of ($host*) or any of ($scheme*)
}

rule xmrig
{
    meta:
        description = "holds the miner XMRig, or the settings of one"
        tag = "COINMINER"
        heat = 6
    strings:
        $s1 = "donate.v2.xmrig.com" ascii
        $s2 = "--donate-level" ascii wide
        $s3 = "\"donate-level\"" ascii
        $s4 = "randomx" ascii wide nocase
        $s5 = "cryptonight" ascii wide nocase
        $s6 = "xmrig" ascii wide nocase
        $s7 = "mining.authorize" ascii
        $s8 = "--cpu-max-threads-hint" ascii wide
        $s9 = "huge-pages-jit" ascii
        $s10 = "--nicehash" ascii wide
    condition:
        3 of them
}

rule hidden_miner
{
    meta:
        description = "sets up a miner so that the owner of the machine does not see it"
        tag = "HIDDEN_MINER"
        heat = 7
    strings:
        $miner1 = "xmrig" ascii wide nocase
        $miner2 = "--donate-level" ascii wide
        $miner3 = "stratum+" ascii wide
        $miner4 = "--randomx" ascii wide
        $hide1 = "taskmgr" ascii wide nocase
        $hide2 = "--cinit-stealth" ascii wide nocase
        $hide3 = "pkill -f" ascii
        $hide4 = "chattr -i" ascii
        $hide5 = "WinRing0x64.sys" ascii wide
        $hide6 = "Add-MpPreference" ascii wide nocase
        $hide7 = "crontab -r" ascii
        $hide8 = "kinsing" ascii
    condition:
        any of ($miner*) and 2 of ($hide*)
}
