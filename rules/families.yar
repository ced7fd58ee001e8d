/*
 * Families that can be told by their own texts alone. They give heat 9; where an extractor decodes the settings
 * as well, that gives heat 10. Each needs several texts, and something that only a program has: its first bytes, or the
 * zero behind a text. An article about a family, its source and these very rules have all the texts.
 *
 * Programs that look for a family have its texts, too. So what is written for .NET has to be (`$net`, the first bytes of
 * its metadata), Remcos must not be, and where all texts are literals the program has to use what the family talks by
 * (`$use`). Neither is a place to show, so they are private.
 */

rule asyncrat
{
    meta:
        description = "texts of AsyncRAT's client"
        family = "ASYNCRAT"
        tag = "RAT"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $field1 = "Serversignature" ascii fullword
        $field2 = "Pastebin" ascii fullword
        $field3 = "MTX" ascii fullword
        $class1 = "Anti_Analysis" ascii fullword
        $class2 = "NormalStartup" ascii fullword
        $class3 = "MutexControl" ascii fullword
        $class4 = "ClientSocket" ascii fullword
        $class5 = "IdSender" ascii fullword
    condition:
        uint16(0) == 0x5a4d and $net and $field1 and 1 of ($field2, $field3) and 3 of ($class*)
}

rule dcrat
{
    meta:
        description = "texts of DcRat's client"
        family = "DCRAT"
        tag = "RAT"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $salt = "DcRatByqwqdanchun" ascii wide
        $field1 = "Por_ts" ascii fullword
        $field2 = "Hos_ts" ascii fullword
        $field3 = "Server_signa_ture" ascii fullword
        $other1 = "VenomRATByVenom" ascii wide
        $other2 = "VenomByVenom" ascii wide
    condition:
        uint16(0) == 0x5a4d and $net and $salt and 2 of ($field*) and not any of ($other*)
}

rule venomrat
{
    meta:
        description = "texts of VenomRAT's client"
        family = "VENOMRAT"
        tag = "RAT"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $salt1 = "VenomRATByVenom" ascii wide
        $salt2 = "VenomByVenom" ascii wide
        $field1 = "Por_ts" ascii fullword
        $field2 = "Hos_ts" ascii fullword
        $field3 = "Server_signa_ture" ascii fullword
    condition:
        uint16(0) == 0x5a4d and $net and any of ($salt*) and 2 of ($field*)
}

rule xworm
{
    meta:
        description = "commands of XWorm's client"
        family = "XWORM"
        tag = "RAT"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $use = "System.Net.Sockets" ascii fullword private
        $delimiter = "<Xwormmm>" wide
        $version = "XWorm V" wide
        $command1 = "PCShutdown" wide fullword
        $command2 = "StartDDos" wide fullword
        $command3 = "StopDDos" wide fullword
        $command4 = "savePlugin" wide fullword
        $command5 = "RemovePlugins" wide fullword
        $command6 = "OfflineGet" wide fullword
        $command7 = "StartReport" wide fullword
        $command8 = "$Cap" wide fullword
    condition:
        uint16(0) == 0x5a4d and $net and $use and (($delimiter and 2 of ($command*)) or ($version and 3 of ($command*)) or 6 of ($command*))
}

rule njrat
{
    meta:
        description = "texts of njRAT's client"
        family = "NJRAT"
        tag = "RAT"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $use = "System.Net.Sockets" ascii fullword private
        $s1 = "SEE_MASK_NOZONECHECKS" wide
        $s2 = "netsh firewall add allowedprogram" wide
        $s3 = "netsh firewall delete allowedprogram" wide
        $s4 = "cmd.exe /c ping 0 -n 2 & del" wide
        $s5 = "|'|'|" wide
        $s6 = "Execute ERROR" wide
        $s7 = "Update ERROR" wide
        $s8 = "Executed As " wide
    condition:
        uint16(0) == 0x5a4d and $net and $use and 4 of ($s*)
}

rule quasarrat
{
    meta:
        description = "names of Quasar's client"
        family = "QUASARRAT"
        tag = "RAT"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $new1 = "Quasar.Client" ascii wide
        $new2 = "Quasar.Common.Messages" ascii wide
        $old1 = "xClient.Core." ascii wide
        $old2 = "xClient.Properties" ascii wide
        $message1 = "DoShellExecuteResponse" ascii
        $message2 = "GetKeyloggerLogsResponse" ascii
        $message3 = "DoWebcamStop" ascii
        $message4 = "GetPasswordsResponse" ascii
        $message5 = "ReverseProxyConnect" ascii
    condition:
        uint16(0) == 0x5a4d and $net and any of ($new*, $old*) and 2 of ($message*)
}

rule xenorat
{
    meta:
        description = "texts of XenoRAT's client"
        family = "XENORAT"
        tag = "RAT"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $use = "System.Net.Sockets" ascii fullword private
        $name1 = "xeno_rat_client" ascii fullword
        $name2 = "Type0Receive" ascii fullword
        $name3 = "ConnectSubSockAsync" ascii fullword
        $text1 = "nothingset" wide
        $text2 = "XenoUpdateManager" wide
        $text3 = "\\XenoManager\\" wide
    condition:
        uint16(0) == 0x5a4d and $net and $use and $text1 and (any of ($name*)) and any of ($text2, $text3)
}

rule redline
{
    meta:
        description = "names of RedLine's client"
        family = "REDLINE"
        tag = "STEALER"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $use = "System.ServiceModel" ascii private
        $scan1 = "ScannedBrowser" ascii fullword
        $scan2 = "ScannedFile" ascii fullword
        $scan3 = "ScannedCookie" ascii fullword
        $scan4 = "BrowserExtensionsRule" ascii fullword
        $scan5 = "GameLauncherRule" ascii fullword
        $scan6 = "ScanResult" ascii fullword
        $channel = "net.tcp://" wide
        $addon = "Yandex\\YaAddon" wide
        $header = "Authorization" wide
    condition:
        uint16(0) == 0x5a4d and $net and $use and (3 of ($scan*) or $addon) and $channel and $header
}

rule snake_keylogger
{
    meta:
        description = "the marks between the settings of Snake Keylogger"
        family = "SNAKE_KEYLOGGER"
        tag = "STEALER"
        heat = 1
    strings:
        $mark1 = "$%TelegramDv$" wide
        $mark2 = "$%SMTPDV$" wide
        $mark3 = "%FTPDV$" wide
        $mark4 = "KPPlogS" wide
        $kin1 = "VIP Recovery" wide
        $kin2 = "MassLogger" wide
    condition:
        uint16(0) == 0x5a4d and 2 of ($mark*) and not any of ($kin*)
}

rule vip_keylogger
{
    meta:
        description = "texts of VIP Keylogger, and marks or addresses that it has in common with Snake Keylogger"
        family = "VIP_KEYLOGGER"
        tag = "STEALER"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $use1 = "System.Net.Mail" ascii fullword private
        $use2 = "FtpWebRequest" ascii fullword private
        $use3 = "WebClient" ascii fullword private
        $name = "VIP Recovery" wide
        $kin1 = "$%TelegramDv$" wide
        $kin2 = "$%SMTPDV$" wide
        $kin3 = "%FTPDV$" wide
        $kin4 = "KPPlogS" wide
        $kin5 = "checkip.dyndns.org" wide
        $kin6 = "reallyfreegeoip.org" wide
        $kin7 = "/sendMessage?chat_id=" wide
    condition:
        uint16(0) == 0x5a4d and $net and any of ($use*) and $name and 2 of ($kin*)
}

rule masslogger
{
    meta:
        description = "headings in the logs of MassLogger"
        family = "MASSLOGGER"
        tag = "STEALER"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $use1 = "System.Net.Mail" ascii fullword private
        $use2 = "FtpWebRequest" ascii fullword private
        $head1 = "MassLogger Started:" ascii wide
        $head2 = "MassLogger Process:" ascii wide
        $head3 = "MassLogger Exit after delivery:" ascii wide
        $head4 = "Keylogger And Clipboard" ascii wide
    condition:
        uint16(0) == 0x5a4d and $net and any of ($use*) and 3 of ($head*)
}

rule remcos
{
    meta:
        description = "texts of Remcos' agent"
        family = "REMCOS"
        tag = "RAT"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $s1 = "Remcos restarted by watchdog!" ascii wide
        $s2 = "Remcos v" ascii wide
        $s3 = "Remcos Agent initialized" ascii wide
        $s4 = "Uploading file to Controller: " ascii wide
        $s5 = "BreakingSecurity.net" ascii wide
        $s6 = "[Cleared browsers logins and cookies.]" ascii wide
        $s7 = "Watchdog launch failed!" ascii wide
        $s8 = "licence_code.txt" ascii wide
    condition:
        uint16(0) == 0x5a4d and not $net and 3 of ($s*)
}

rule cobaltstrike
{
    meta:
        description = "the settings block of a Cobalt Strike beacon, or its texts"
        family = "COBALTSTRIKE"
        tag = "BEACON"
        heat = 1
    strings:
        // protocol, port and sleep time as the first three settings, under the keys of versions 3 and 4
        $config3 = { 69 68 69 68 69 6b ?? ?? 69 6b 69 68 69 6b ?? ?? 69 6a 69 6b 69 6d }
        $config4 = { 2e 2f 2e 2f 2e 2c ?? ?? 2e 2c 2e 2f 2e 2c ?? ?? 2e 2d 2e 2c 2e 2a }
        $config0 = { 00 01 00 01 00 02 ?? ?? 00 02 00 01 00 02 ?? ?? 00 03 00 02 00 04 }
        $name1 = "beacon.x64.dll" ascii
        $name2 = "beacon.dll" ascii
        $text1 = "could not spawn %s: %d\x00" ascii
        $text2 = "Could not open process token: %d (%u)\x00" ascii
        $text3 = "Started service %s on %s\x00" ascii
        $text4 = "%s as %s\\%s: %d\x00" ascii
        $text5 = "could not run command (w/ token) because of its length\x00" ascii
    condition:
        any of ($config3, $config4) or ($config0 and any of ($name*)) or 3 of ($text*)
}

rule meterpreter
{
    meta:
        description = "commands of Meterpreter"
        family = "METERPRETER"
        tag = "BEACON"
        heat = 1
    strings:
        $s1 = "core_channel_open" ascii fullword
        $s2 = "core_machine_id" ascii fullword
        $s3 = "core_transport_setcerthash" ascii
        $s4 = "stdapi_sys_process_execute" ascii
        $s5 = "stdapi_fs_delete_dir" ascii
        $s6 = "metsrv.x64.dll" ascii
        $s7 = "metsrv.x86.dll" ascii
        $s8 = "core_loadlib" ascii fullword
    condition:
        3 of them and (uint16(0) == 0x5a4d or uint32(0) == 0x464c457f or uint32(0) == 0xfeedfacf)
}

rule sliver
{
    meta:
        description = "packages of a Sliver implant"
        family = "SLIVER"
        tag = "BEACON"
        heat = 1
    strings:
        $package = "github.com/bishopfox/sliver/" ascii
        $part1 = "sliverpb" ascii
        $part2 = "implant/sliver/transports" ascii
        $part3 = "SliverRPC" ascii
        $part4 = "BeaconRegister" ascii
    condition:
        $package and 2 of ($part*) and (uint16(0) == 0x5a4d or uint32(0) == 0x464c457f or uint32(0) == 0xfeedfacf)
}

rule mirai
{
    meta:
        description = "texts of Mirai, plain or under the key that its source came with"
        family = "MIRAI"
        tag = "BOT"
        heat = 1
    strings:
        $plain1 = "/bin/busybox MIRAI" ascii
        $plain2 = "MIRAI: applet not found" ascii
        $plain3 = "listening tun0" ascii
        $plain4 = "/dev/misc/watchdog" ascii
        $sealed1 = "applet not found" xor(0x22)
        $sealed2 = "ncorrect" xor(0x22)
        $sealed3 = "/proc/net/tcp" xor(0x22)
        $sealed4 = "listening tun0" xor(0x22)
        $sealed5 = "/dev/watchdog" xor(0x22)
        $sealed6 = "/bin/busybox MIRAI" xor(0x22)
    condition:
        uint32(0) == 0x464c457f and (3 of ($plain*) or 3 of ($sealed*))
}

rule gafgyt
{
    meta:
        description = "texts of Gafgyt"
        family = "GAFGYT"
        tag = "BOT"
        heat = 1
    strings:
        $s1 = "LOLNOGTFO" ascii
        $s2 = "UDP Flooding %s" ascii
        $s3 = "TCP Flooding %s" ascii
        $s4 = "JUNK Flooding %s" ascii
        $s5 = "HOLD Flooding %s" ascii
        $s6 = "None Killed." ascii
        $s7 = "Killed %d." ascii
        $s8 = "TELNET LOGIN CRACKED - %s:%s:%s" ascii
        $s9 = "My IP: %s" ascii
    condition:
        uint32(0) == 0x464c457f and 3 of them
}

rule nanocore
{
    meta:
        description = "names of NanoCore's client"
        family = "NANOCORE"
        tag = "RAT"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $s1 = "NanoCore.ClientPluginHost" ascii
        $s2 = "NanoCore.ClientPlugin" ascii
        $s3 = "IClientNetworkHost" ascii
        $s4 = "IClientLoggingHost" ascii
        $s5 = "PipeExists" ascii fullword
        $s6 = "AddHostEntry" ascii fullword
    condition:
        uint16(0) == 0x5a4d and $net and any of ($s1, $s2) and 2 of ($s3, $s4, $s5, $s6)
}

rule systembc
{
    meta:
        description = "the plain settings block of SystemBC"
        family = "SYSTEMBC"
        tag = "PROXY"
        heat = 1
    strings:
        $begin = "BEGINDATA\x00" ascii
        $host1 = "HOST1:" ascii
        $host2 = "HOST2:" ascii
        $port1 = "PORT1:" ascii
    condition:
        all of them and $host1 in (@begin .. @begin + 64) and $port1 in (@begin .. @begin + 512)
}

rule strrat
{
    meta:
        description = "names of the members of STRRAT's archive"
        family = "STRRAT"
        tag = "RAT"
        heat = 1
    strings:
        $end = { 50 4b 05 06 } private
        $class1 = "carLambo/Main.class"
        $class2 = "strpayload/Main.class"
        $class3 = "kingDavid/Main.class"
        $settings1 = "carLambo/resources/config.txt"
        $settings2 = "strpayload/resources/config.txt"
        $settings3 = "kingDavid/resources/config.txt"
    condition:
        // An archive, which may be appended to an installer. The name is right behind the header of the member.
        (uint32(0) == 0x04034b50 or uint32(0) == 0xe011cfd0) and $end and any of ($class*) and
        for any of ($settings*) : (uint32(@ - 30) == 0x04034b50)
}

rule lumma
{
    meta:
        description = "texts of Lumma's client"
        family = "LUMMA"
        tag = "STEALER"
        heat = 1
    strings:
        $s1 = "LummaC2" ascii wide
        $s2 = "TeslaBrowser/5.5" ascii wide
        $s3 = "act=recive_message" ascii wide
        $s4 = "act=receive_message" ascii wide
        $s5 = "&lid=" ascii wide
        $s6 = "- PC: " ascii wide
        $s7 = "- HWID: " ascii wide
    condition:
        uint16(0) == 0x5a4d and 3 of them
}

rule stealc
{
    meta:
        description = "source path and member names of StealC 2"
        family = "STEALC"
        tag = "STEALER"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $path = "C:\\builder_v2\\stealc\\json.h" wide
        $name1 = "steal_foxmail" ascii fullword
        $name2 = "steal_winscp" ascii fullword
        $name3 = "total_parts" ascii fullword
        $name4 = "app_bound_encrypted_key" ascii fullword
    condition:
        uint16(0) == 0x5a4d and not $net and $path and 1 of ($name*)
}

rule winos
{
    meta:
        description = "names of settings of Winos (ValleyRAT)"
        family = "WINOS"
        tag = "RAT"
        heat = 1
    strings:
        $net = { 42 53 4a 42 01 00 01 00 } private
        $login = "denglupeizhi" ascii wide
        $registry = "IpDates_info" ascii wide
    condition:
        uint16(0) == 0x5a4d and not $net and all of ($login, $registry)
}

rule blank_grabber
{
    meta:
        description = "parts of Blank Grabber"
        family = "BLANK_GRABBER"
        tag = "STEALER"
        heat = 1
    strings:
        $part1 = "blank.aes" ascii
        $part2 = "loader-o" ascii
        $part3 = "Blank Grabber" ascii
        $part4 = "Blank-c" ascii
        $bundle = { 4d 45 49 0c 0b 0a 0b 0e }
    condition:
        // packed, or a program or compiled Python with its name and that of its author
        ($bundle and $part1 and $part2) or ((uint16(0) == 0x5a4d or uint16(2) == 0x0a0d) and $part3 and $part4)
}

rule warzone
{
    meta:
        description = "texts of Warzone (Ave Maria)"
        family = "WARZONE"
        tag = "RAT"
        heat = 1
    strings:
        $s1 = "AVE_MARIA" ascii wide
        $s2 = "warzone160" ascii wide
        $s3 = "\\Microsoft Vision\\" ascii wide
        $s4 = "Ave_Maria Stealer OpenSource github" ascii wide
        $s5 = "Hey I'm Admin" ascii wide
    condition:
        uint16(0) == 0x5a4d and 2 of them
}

rule mimikatz
{
    meta:
        description = "commands of mimikatz"
        family = "MIMIKATZ"
        tag = "HACKTOOL"
        heat = 1
    strings:
        $s1 = "sekurlsa" ascii wide fullword
        $s2 = "gentilkiwi" ascii wide nocase
        $s3 = "kuhl_m_" ascii wide
        $s4 = "logonpasswords" ascii wide nocase
        $s5 = "lsadump" ascii wide fullword
        $s6 = "mimikatz" ascii wide nocase
        $s7 = "kiwi_msv1_0" ascii wide
    condition:
        uint16(0) == 0x5a4d and 4 of them
}

rule wannacry
{
    meta:
        description = "texts of WannaCry"
        family = "WANNACRY"
        tag = "RANSOMWARE"
        heat = 1
    strings:
        $s1 = "WANACRY!" ascii
        $s2 = "WNcry@2ol7" ascii
        $s3 = "tasksche.exe" ascii wide
        $s4 = "msg/m_english.wnry" ascii wide
        $s5 = "mssecsvc.exe" ascii wide
        $s6 = "taskdl.exe" ascii wide
    condition:
        uint16(0) == 0x5a4d and 3 of them
}

rule lockbit
{
    meta:
        description = "texts of LockBit"
        family = "LOCKBIT"
        tag = "RANSOMWARE"
        heat = 1
    strings:
        $s1 = "Restore-My-Files.txt" ascii wide nocase
        $s2 = "LockBit" ascii wide
        $s3 = "lockbitapt" ascii wide
        $s4 = "All your important files are encrypted!" ascii wide nocase
        $s5 = "lockbitsupp" ascii wide
        $s6 = "LockBit_Ransomware.hta" ascii wide nocase
    condition:
        uint16(0) == 0x5a4d and 3 of them
}

rule orcus
{
    meta:
        description = "names of Orcus' client"
        family = "ORCUS"
        tag = "RAT"
        heat = 1
    strings:
        $s1 = "Orcus.Plugins" ascii wide
        $s2 = "Orcus.Commands." ascii wide
        $s3 = "Orcus.Shared." ascii wide
        $s4 = "Orcus.StaticCommands" ascii wide
    condition:
        uint16(0) == 0x5a4d and 2 of them
}

rule eicar
{
    meta:
        description = "the test file that scanners agreed on; it does nothing"
        family = "EICAR"
    strings:
        // in two parts, so that this file does not match
        $start = "X5O!P%@AP[4\\PZX54(P^)7CC)7}" ascii
        $end = "$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*" ascii
    condition:
        $start at 0 and $end at 27 and filesize < 200
}
