/* Carrying away what was found. */

rule telegram_upload
{
    meta:
        description = "sends files to a Telegram bot"
        tag = "EXFIL_TELEGRAM"
        heat = 7
    strings:
        $host = "api.telegram.org/bot" ascii wide nocase
        $send1 = "/sendDocument" ascii wide nocase
        $send2 = "/sendPhoto" ascii wide nocase
        $chat = "chat_id" ascii wide nocase
        $token = /[0-9]{8,10}:AA[A-Za-z0-9_-]{33}/ ascii wide
        // Methods of the interface that only a library for it names
        $library1 = "answerInlineQuery" ascii wide nocase
        $library2 = "sendVenue" ascii wide nocase
        $library3 = "sendVideoNote" ascii wide nocase
        $library4 = "sendAnimation" ascii wide nocase
        $library5 = "sendSticker" ascii wide nocase
        $library6 = "setChatPhoto" ascii wide nocase
    condition:
        $host and $chat and any of ($send*) and ($token or not 3 of ($library*))
}

rule discord_upload
{
    meta:
        description = "sends what it found to a Discord webhook"
        tag = "EXFIL_DISCORD"
        heat = 7
    strings:
        $host1 = "discord.com/api/webhooks/" ascii wide nocase
        $host2 = "discordapp.com/api/webhooks/" ascii wide nocase
        $what1 = "os.getenv" ascii
        $what2 = "payload_json" ascii wide
        $what3 = "COMPUTERNAME" ascii wide nocase
        $what4 = "\"embeds\"" ascii wide
        $what5 = "MachineName" ascii wide
        $what6 = "hwid" ascii wide nocase fullword
    condition:
        any of ($host*) and 2 of ($what*)
}

rule telegram_session
{
    meta:
        description = "copies the session of Telegram Desktop"
        tag = "TELEGRAM_SESSION_THEFT"
        heat = 7
    strings:
        $folder = "Telegram Desktop\\tdata" ascii wide nocase
        $file1 = "D877F783D5D3EF8C" ascii wide nocase
        $file2 = "A7FDF864FBC10B77" ascii wide nocase
        $file3 = "key_datas" ascii wide nocase
    condition:
        $folder and any of ($file*)
}

rule game_sessions
{
    meta:
        description = "copies the sessions of game clients"
        tag = "GAME_SESSION_THEFT"
        heat = 6
    strings:
        $s1 = "\\config\\loginusers.vdf" ascii wide nocase
        $s2 = "ssfn*" ascii wide
        $s3 = "launcher_profiles.json" ascii wide nocase
        $s4 = "launcher_accounts.json" ascii wide nocase
        $s5 = "RobloxStudioBrowser\\roblox.com" ascii wide nocase
        $s6 = "EpicGamesLauncher\\Saved\\Config" ascii wide nocase
        $s7 = ".ROBLOSECURITY" ascii wide
        $s8 = "Riot Games\\Riot Client\\Data" ascii wide nocase
        $s9 = "Ubisoft Game Launcher" ascii wide nocase
        $s10 = "feather\\accounts.json" ascii wide nocase
    condition:
        3 of them
}

rule clipboard_swap
{
    meta:
        description = "watches the clipboard for wallet addresses, to put others in their place"
        tag = "CLIPPER"
        heat = 7
    strings:
        $set1 = "SetClipboardData" ascii wide
        $set2 = "Clipboard" ascii fullword
        $set3 = "pyperclip" ascii
        $shape1 = "(bc1|[13])" ascii wide
        $shape2 = "0x[a-fA-F0-9]{40}" ascii wide
        $shape3 = "[13][a-km-zA-HJ-NP-Z1-9]{25,34}" ascii wide
        $shape4 = "T[A-Za-z1-9]{33}" ascii wide
        $shape5 = "[48][0-9AB][1-9A-HJ-NP-Za-km-z]{93}" ascii wide
        $shape6 = "D{1}[5-9A-HJ-NP-U]{1}" ascii wide
        $shape7 = "X[1-9A-HJ-NP-Za-km-z]{33}" ascii wide
        $shape8 = "0x[a-zA-F0-9]{40}" ascii wide
    condition:
        any of ($set*) and 2 of ($shape*)
}

rule python_grabber
{
    meta:
        description = "a Python program that collects from browsers, chats and wallets"
        tag = "PYTHON_STEALER"
        heat = 7
    strings:
        $python1 = "import " ascii
        $python2 = "PyInstaller" ascii
        $g1 = "win32crypt" ascii
        $g2 = "CryptUnprotectData" ascii
        $g3 = "Local State" ascii
        $g4 = "os_crypt" ascii
        $g5 = "browser_cookie3" ascii
        $g6 = "LOCALAPPDATA" ascii
        $g7 = "ImageGrab" ascii
        $g8 = "robloxpy" ascii
        $send1 = "api/webhooks/" ascii
        $send2 = "api.telegram.org" ascii
        $send3 = "gofile.io" ascii
    condition:
        uint16(0) != 0x5a4d and filesize < 5MB and any of ($python*) and 4 of ($g*) and any of ($send*)
}
