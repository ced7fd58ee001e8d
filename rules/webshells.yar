/* Pages that let whoever knows them command the server. */

rule php_eval
{
    meta:
        description = "a PHP page that runs what it is sent"
        tag = "WEBSHELL"
        heat = 8
    strings:
        $php = "<?php" ascii nocase
        $short = "<?=" ascii
        $run1 = /(eval|assert|system|shell_exec|passthru|popen|proc_open|exec)\s{0,4}\(\s{0,4}@?\$_(POST|GET|REQUEST|COOKIE|SERVER)\s{0,4}\[/ ascii nocase
        $run2 = /(eval|assert)\s{0,4}\(\s{0,4}(base64_decode|gzinflate|str_rot13|gzuncompress)\s{0,4}\(\s{0,4}@?\$_(POST|GET|REQUEST|COOKIE)/ ascii nocase
    condition:
        filesize < 1MB and any of ($php, $short) and any of ($run*)
}

rule php_packed
{
    meta:
        description = "a PHP page whose code is unwrapped as it runs"
        tag = "OBFUSCATED_PHP"
        heat = 6
    strings:
        $php = "<?php" ascii nocase
        $run = /eval\s{0,4}\(\s{0,4}(gzinflate|gzuncompress|str_rot13|base64_decode|strrev)\s{0,4}\(\s{0,4}(base64_decode|str_rot13|gzinflate|strrev)\s{0,4}\(/ ascii nocase
    condition:
        filesize < 5MB and $php and $run
}

rule jsp_command
{
    meta:
        description = "a JSP page that runs what it is sent"
        tag = "WEBSHELL"
        heat = 8
    strings:
        $jsp = "<%" ascii
        $run1 = "Runtime.getRuntime().exec(" ascii
        $run2 = "new ProcessBuilder(" ascii
        $ask = "request.getParameter(" ascii
        $define = "defineClass" ascii
        $cipher = "javax.crypto.Cipher" ascii
        $session = "session.putValue" ascii
    condition:
        filesize < 500KB and $jsp and ((any of ($run*) and $ask) or ($define and $cipher and $session))
}

rule asp_command
{
    meta:
        description = "an ASP page that runs what it is sent"
        tag = "WEBSHELL"
        heat = 8
    strings:
        $asp = "<%" ascii
        $run1 = /eval\s{0,4}\(\s{0,4}Request(\.Item|\.Form)?\s{0,4}[\[(]/ ascii nocase
        $run2 = /(eval|execute)(global)?\s{0,4}\(?\s{0,4}request\s{0,4}\(/ ascii nocase
        $load = "Assembly.Load(" ascii
        $cipher = "RijndaelManaged" ascii
        $binary = "Request.BinaryRead(" ascii
    condition:
        filesize < 500KB and $asp and (any of ($run*) or ($load and $cipher and $binary))
}

rule known_webshell
{
    meta:
        description = "a web shell that is passed around under a name"
        tag = "WEBSHELL"
        heat = 8
    strings:
        $php = "<?php" ascii nocase
        $name1 = "c99shell" ascii nocase
        $name2 = "r57shell" ascii nocase
        $name3 = "FilesMan" ascii
        $name4 = "b374k" ascii nocase
        $name5 = "WSO_VERSION" ascii
        $name6 = "weevely" ascii nocase
        $do1 = "shell_exec" ascii
        $do2 = "passthru" ascii
        $do3 = "move_uploaded_file" ascii
        $do4 = "proc_open" ascii
    condition:
        filesize < 2MB and $php and any of ($name*) and 2 of ($do*)
}
