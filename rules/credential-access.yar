/* Getting at passwords, tokens and keys. */

rule lsass_dump
{
    meta:
        description = "dumps the process that holds the users' credentials"
        tag = "LSASS_DUMP"
        heat = 7
    strings:
        $target = "lsass.exe" ascii wide nocase
        $write = "MiniDumpWriteDump" ascii wide
        $open = "OpenProcess" ascii wide
        $debug = "SeDebugPrivilege" ascii wide
        $lolbin = /comsvcs(\.dll)?[, ]{1,3}(MiniDump|#\+?24)/ ascii wide nocase
        $rundll = "rundll32" ascii wide nocase
    condition:
        ($target and $write and $open and $debug) or ($lolbin and $rundll)
}

rule registry_hives
{
    meta:
        description = "saves the registry hives that hold password hashes"
        tag = "SAM_DUMP"
        heat = 7
    strings:
        $sam = /reg(\.exe)? save hklm\\sam/ ascii wide nocase
        $system = /save hklm\\(system|security)/ ascii wide nocase
    condition:
        all of them
}

rule chromium_credentials
{
    meta:
        description = "reads the passwords that browsers of the Chromium kind keep"
        tag = "BROWSER_CREDENTIALS"
        heat = 7
    strings:
        $browser1 = "Google\\Chrome\\User Data" ascii wide nocase
        $browser2 = "BraveSoftware\\Brave-Browser" ascii wide nocase
        $browser3 = "Microsoft\\Edge\\User Data" ascii wide nocase
        $browser4 = "Opera Software\\Opera" ascii wide nocase
        $browser5 = "Yandex\\YandexBrowser" ascii wide nocase
        $browser6 = "CocCoc\\Browser\\User Data" ascii wide nocase
        $browser7 = "Vivaldi\\User Data" ascii wide nocase
        $browser8 = "\\Chromium\\User Data" ascii wide nocase
        $store1 = "Login Data" ascii wide
        $store2 = "Web Data" ascii wide
        $store3 = "Local State" ascii wide
        $read1 = "encrypted_key" ascii wide
        $read2 = "CryptUnprotectData" ascii wide
        $read3 = "password_value" ascii wide
        $read4 = "ProtectedData" ascii wide
        $read5 = "encrypted_value" ascii wide
    condition:
        2 of ($browser*) and any of ($store*) and any of ($read*)
}

rule mozilla_credentials
{
    meta:
        description = "reads the passwords that browsers of the Mozilla kind keep"
        tag = "BROWSER_CREDENTIALS"
        heat = 7
    strings:
        $browser1 = "Mozilla\\Firefox\\Profiles" ascii wide nocase
        $browser2 = "Thunderbird\\Profiles" ascii wide nocase
        $browser3 = "Waterfox\\Profiles" ascii wide nocase
        $browser4 = "Pale Moon\\Profiles" ascii wide nocase
        $browser5 = "K-Meleon" ascii wide nocase
        $store1 = "logins.json" ascii wide
        $store2 = "key4.db" ascii wide
        $store3 = "key3.db" ascii wide
        $store4 = "signons.sqlite" ascii wide
        $read1 = "PK11SDR_Decrypt" ascii wide
        $read2 = "encryptedPassword" ascii wide
        $read3 = "NSS_Init" ascii wide
    condition:
        2 of ($browser*) and any of ($store*) and any of ($read*)
}

rule discord_tokens
{
    meta:
        description = "looks for the tokens that Discord keeps"
        tag = "DISCORD_TOKEN_THEFT"
        heat = 7
    strings:
        $folder1 = "discord\\Local Storage\\leveldb" ascii wide nocase
        $folder2 = "discordcanary" ascii wide nocase
        $folder3 = "discordptb" ascii wide nocase
        $folder4 = "\\Local Storage\\leveldb" ascii wide nocase
        $shape1 = "{24}\\.[" ascii wide
        $shape2 = "mfa\\.[" ascii wide
        $shape3 = "dQw4w9WgXcQ:" ascii wide
        $ask = "/users/@me" ascii wide
    condition:
        2 of ($folder*) and (any of ($shape*) or $ask)
}

rule wallet_files
{
    meta:
        description = "knows where many cryptocurrency wallets keep their keys"
        tag = "CRYPTO_WALLET_THEFT"
        heat = 7
    strings:
        $w1 = "exodus.wallet" ascii wide nocase
        $w2 = "Electrum\\wallets" ascii wide nocase
        $w3 = "Ethereum\\keystore" ascii wide nocase
        $w4 = "atomic\\Local Storage" ascii wide nocase
        $w5 = "Coinomi\\Coinomi\\wallets" ascii wide nocase
        $w6 = "com.liberty.jaxx" ascii wide nocase
        $w7 = "\\Armory\\" ascii wide
        $w8 = "Guarda\\Local Storage" ascii wide nocase
        $w9 = "nkbihfbeogaeaoehlefnkodbefgpgknn" ascii wide
        $w10 = "ibnejdfjmmkpcnlpebklmnkoeoihofec" ascii wide
        $w11 = "fhbohimaelbohpjbbldcngcnapndodjp" ascii wide
        $w12 = "bfnaelmomeimhlpmgjnjophhpkkoljpa" ascii wide
        $w13 = "hnfanknocfeofbddgcijnmhnfnkdnaad" ascii wide
        $w14 = "\\Zcash" ascii wide
        $w15 = "\\bytecoin" ascii wide
        $w16 = "WalletWasabi" ascii wide nocase
    condition:
        4 of them
}

rule file_transfer_clients
{
    meta:
        description = "knows where clients for file transfer and mail keep passwords"
        tag = "CLIENT_CREDENTIALS"
        heat = 6
    strings:
        $c1 = "FileZilla\\recentservers.xml" ascii wide nocase
        $c2 = "FileZilla\\sitemanager.xml" ascii wide nocase
        $c3 = "WinSCP 2\\Sessions" ascii wide nocase
        $c4 = "FTPWare\\COREFTP" ascii wide nocase
        $c5 = "SmartFTP\\Client" ascii wide nocase
        $c6 = "FlashFXP\\" ascii wide nocase
        $c7 = "Ipswitch\\WS_FTP" ascii wide nocase
        $c8 = "\\Windows Messaging Subsystem\\Profiles\\" ascii wide nocase
        $c9 = "9375CFF0413111d3B88A00104B2A6676" ascii wide nocase
        $c10 = "SimonTatham\\PuTTY\\Sessions" ascii wide nocase
        $c11 = "RealVNC\\WinVNC4" ascii wide nocase
        $c12 = "IncrediMail\\Identities" ascii wide nocase
    condition:
        3 of them
}

rule key_logging
{
    meta:
        description = "writes down what is typed"
        tag = "KEYLOGGER"
        heat = 6
    strings:
        $api1 = "GetAsyncKeyState" ascii wide fullword
        $api2 = "SetWindowsHookEx" ascii wide
        $python = "pynput.keyboard" ascii
        $key1 = /[\[{<](ENTER|Enter|ENTR)[\]}>]/ ascii wide
        $key2 = /[\[{<](BACKSPACE|Backspace|BACK|Back|DEL)[\]}>]/ ascii wide
        $key3 = /[\[{<](CAPSLOCK|CapsLock|CAPS|CAPSLOCK: ON)[\]}>]/ ascii wide
        $key4 = /[\[{<](TAB|Tab)[\]}>]/ ascii wide
        $key5 = /[\[{<](ESC|Esc|ESCAPE)[\]}>]/ ascii wide
        $title = "GetForegroundWindow" ascii wide
    condition:
        (($title and any of ($api*)) or $python) and 3 of ($key*)
}

rule wireless_passwords
{
    meta:
        description = "reads the stored passwords of wireless networks"
        tag = "WIFI_PASSWORDS"
        heat = 6
    strings:
        $show = "wlan show profile" ascii wide nocase
        $clear = "key=clear" ascii wide nocase
    condition:
        all of them
}

rule cloud_credentials
{
    meta:
        description = "collects the keys of cloud accounts from a server"
        tag = "CLOUD_CREDENTIALS"
        heat = 6
    strings:
        $f1 = ".aws/credentials" ascii
        $f2 = ".docker/config.json" ascii
        $f3 = ".kube/config" ascii
        $f4 = "gcloud/credentials.db" ascii
        $f5 = ".git-credentials" ascii
        $f6 = ".azure/accessTokens.json" ascii
        $meta1 = "169.254.169.254" ascii
        $send1 = "curl " ascii
        $send2 = "wget " ascii
        $send3 = "requests.post" ascii
    condition:
        filesize < 5MB and 4 of ($f*, $meta1) and any of ($send*)
}
