/* Fetching or unwrapping the next stage. */

rule powershell_download
{
    meta:
        description = "PowerShell that fetches something and runs it"
        tag = "POWERSHELL_DOWNLOADER"
        heat = 6
    strings:
        $fetch1 = ".DownloadString(" ascii wide nocase
        $fetch2 = ".DownloadFile(" ascii wide nocase
        $fetch3 = ".DownloadData(" ascii wide nocase
        $request = "Invoke-WebRequest" ascii wide nocase
        $client = "Net.WebClient" ascii wide nocase
        $run1 = "Invoke-Expression" ascii wide nocase
        $run2 = "IEX(" ascii wide nocase
        $run3 = "IEX (" ascii wide nocase
        $run4 = "|IEX" ascii wide nocase
        $run5 = "| IEX" ascii wide nocase
        $run6 = "[Reflection.Assembly]::Load" ascii wide nocase
        $run7 = "Start-Process $env:" ascii wide nocase
    condition:
        filesize < 10MB and ((any of ($fetch*) and $client) or $request) and any of ($run*)
}

rule tool_download
{
    meta:
        description = "fetches something with a tool that comes with Windows"
        tag = "LOLBIN_DOWNLOAD"
        heat = 6
    strings:
        $certutil = /certutil(\.exe)? [^\n]{0,40}-urlcache/ ascii wide nocase
        $bits = /bitsadmin(\.exe)? [^\n]{0,20}\/transfer/ ascii wide nocase
        $curl = /curl(\.exe)? [^\n]{0,20}(-o|--output) "?(%temp%|%appdata%|%public%|C:\\Users\\Public)/ ascii wide nocase
        $decode = /certutil(\.exe)? [^\n]{0,20}-decode / ascii wide nocase
    condition:
        filesize < 10MB and any of them
}

rule tool_execution
{
    meta:
        description = "has a tool of Windows run a script from elsewhere"
        tag = "LOLBIN_EXECUTION"
        heat = 6
    strings:
        $mshta = /mshta(\.exe)? "?(https?:|javascript:|vbscript:)/ ascii wide nocase
        $regsvr = /regsvr32(\.exe)? [^\n]{0,40}\/i:https?:/ ascii wide nocase
        $rundll = /rundll32(\.exe)? javascript:/ ascii wide nocase
        $msiexec = /msiexec(\.exe)? [^\n]{0,30}http/ ascii wide nocase
        $wmic = /wmic [^\n]{0,40}\/format:"?https?:/ ascii wide nocase
    condition:
        filesize < 10MB and any of them
}

rule script_download
{
    meta:
        description = "a script that fetches a file, writes it and starts it"
        tag = "SCRIPT_DROPPER"
        heat = 7
    strings:
        $shell1 = "WScript.Shell" ascii wide nocase
        $shell2 = "Shell.Application" ascii wide nocase
        $stream = "ADODB.Stream" ascii wide nocase
        $save = "SaveToFile" ascii wide nocase
        $fetch1 = "MSXML2.XMLHTTP" ascii wide nocase
        $fetch2 = "MSXML2.ServerXMLHTTP" ascii wide nocase
        $fetch3 = "WinHttp.WinHttpRequest" ascii wide nocase
        $fetch4 = "Microsoft.XMLHTTP" ascii wide nocase
    condition:
        filesize < 5MB and any of ($shell*) and $stream and $save and any of ($fetch*)
}

rule linux_loader
{
    meta:
        description = "a shell script that fetches programs for many processors and runs whichever works"
        tag = "LINUX_LOADER_SCRIPT"
        heat = 7
    strings:
        $place1 = "cd /tmp" ascii
        $place2 = "cd /var/run" ascii
        $place3 = "cd /dev/shm" ascii
        $fetch = /(wget|curl -O|tftp -g|busybox wget|ftpget)[^\n]{1,60}(arm7|arm5|mipsel|mpsl|mips|sh4|ppc|x86|i686|m68k|spc)/ ascii
        $run1 = "chmod 777" ascii
        $run2 = "chmod +x" ascii
        $clean = "rm -rf" ascii
    condition:
        filesize < 200KB and any of ($place*) and #fetch >= 2 and any of ($run*) and $clean
}

rule html_smuggling
{
    meta:
        description = "a page that carries a file and has the browser save it"
        tag = "HTML_SMUGGLING"
        heat = 6
    strings:
        $html = "<html" ascii nocase
        $decode1 = "atob(" ascii
        $decode2 = "Uint8Array" ascii
        $blob = "new Blob(" ascii
        $save1 = "createObjectURL" ascii
        $save2 = "msSaveOrOpenBlob" ascii
        $name = ".download" ascii
        $click = ".click()" ascii
    condition:
        $html and any of ($decode*) and $blob and any of ($save*) and $name and $click and filesize > 8KB
}

rule batch_payload
{
    meta:
        description = "a batch file that carries a program behind comment signs or in base64"
        tag = "BATCH_DROPPER"
        heat = 6
    strings:
        $batch = "@echo off" ascii nocase
        $self1 = "%~f0" ascii
        $self2 = "%~dp0" ascii
        $read1 = "FromBase64String" ascii wide nocase
        $read2 = "ReadAllText" ascii nocase
        $read3 = "ReadLines" ascii nocase
        $load1 = "[System.Reflection.Assembly]" ascii nocase
        $load2 = "EntryPoint" ascii nocase
        $load3 = "GZipStream" ascii nocase
    condition:
        filesize > 8KB and filesize < 20MB and $batch and any of ($self*) and any of ($read*) and any of ($load*)
}

rule embedded_executable_text
{
    meta:
        description = "carries a Windows program as text: in base64 or in hexadecimal digits"
        tag = "ENCODED_PE"
        heat = 6
    strings:
        $base64 = /TVqQAAMAAAAEAAAA\/\/8AALgAAAA[A-Za-z0-9+\/]{60}/ ascii wide
        $reversed = "AAAAAAAAAAAALgAA8//AAAAEAAAAMAAQqVT" ascii wide
        $hex = /4d5a90000300000004000000ffff0000b8000000[0-9a-f]{80}/ ascii wide nocase
    condition:
        any of them
}
