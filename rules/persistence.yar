/* Ways to be started again after a restart. */

rule run_key
{
    meta:
        description = "writes to a registry key whose programs start at every logon"
        tag = "PERSISTENCE_RUN_KEY"
        heat = 5
    strings:
        $key = "Software\\Microsoft\\Windows\\CurrentVersion\\Run" ascii wide nocase
        $write1 = "RegSetValueEx" ascii wide
        $write2 = "reg add " ascii wide nocase
        $write3 = "RegWrite" ascii wide
        $write4 = "Set-ItemProperty" ascii wide nocase
        $write5 = "New-ItemProperty" ascii wide nocase
        $write6 = "winreg.SetValueEx" ascii
    condition:
        $key and any of ($write*)
}

rule scheduled_task
{
    meta:
        description = "makes a scheduled task by command line"
        tag = "PERSISTENCE_SCHTASKS"
        heat = 5
    strings:
        $command = "schtasks" ascii wide nocase
        $create = "/create" ascii wide nocase
        $when1 = "/sc minute" ascii wide nocase
        $when2 = "/sc onlogon" ascii wide nocase
        $when3 = "/sc onstart" ascii wide nocase
        $when4 = "/sc hourly" ascii wide nocase
        $what = "/rl highest" ascii wide nocase
    condition:
        $command and $create and any of ($when*, $what)
}

rule startup_folder
{
    meta:
        description = "puts something into the folder whose contents start at logon"
        tag = "PERSISTENCE_STARTUP_FOLDER"
        heat = 5
    strings:
        $folder = "\\Start Menu\\Programs\\Startup\\" ascii wide nocase
        $what1 = "CopyFile" ascii wide
        $what2 = "Copy-Item" ascii wide nocase
        $what3 = "CreateShortcut" ascii wide nocase
        $what4 = "copy /y" ascii wide nocase
        $what5 = "shutil.copy" ascii
    condition:
        $folder and any of ($what*)
}

rule image_file_execution_options
{
    meta:
        description = "has itself started in place of another program"
        tag = "PERSISTENCE_IFEO"
        heat = 6
    strings:
        $key = "\\Image File Execution Options\\" ascii wide nocase
        $value = "Debugger" ascii wide fullword
        $target1 = "sethc.exe" ascii wide nocase
        $target2 = "utilman.exe" ascii wide nocase
        $target3 = "osk.exe" ascii wide nocase
        $target4 = "taskmgr.exe" ascii wide nocase
        $target5 = "MsMpEng.exe" ascii wide nocase
    condition:
        $key and $value and any of ($target*)
}

rule wmi_subscription
{
    meta:
        description = "binds a command to an event by WMI"
        tag = "PERSISTENCE_WMI"
        heat = 7
    strings:
        $filter = "__EventFilter" ascii wide nocase
        $binding = "__FilterToConsumerBinding" ascii wide nocase
        $consumer1 = "CommandLineEventConsumer" ascii wide nocase
        $consumer2 = "ActiveScriptEventConsumer" ascii wide nocase
        $do1 = "Set-WmiInstance" ascii wide nocase
        $do2 = "root\\subscription" ascii wide nocase
    condition:
        $filter and $binding and any of ($consumer*) and any of ($do*)
}

rule winlogon_shell
{
    meta:
        description = "changes what Windows starts as its shell"
        tag = "PERSISTENCE_WINLOGON"
        heat = 6
    strings:
        $key = "\\Windows NT\\CurrentVersion\\Winlogon" ascii wide nocase
        $value1 = "Userinit" ascii wide fullword
        $value2 = "explorer.exe," ascii wide nocase
        $value3 = "userinit.exe," ascii wide nocase
        $write1 = "RegSetValueEx" ascii wide
        $write2 = "reg add " ascii wide nocase
        $write3 = "SetValue" ascii wide fullword
    condition:
        $key and 1 of ($value2, $value3) and $value1 and any of ($write*)
}

rule cron_download
{
    meta:
        description = "lets cron fetch and run something again and again"
        tag = "PERSISTENCE_CRON"
        heat = 7
    strings:
        $cron1 = "crontab -" ascii
        $cron2 = "/var/spool/cron" ascii
        $cron3 = "/etc/cron.d/" ascii
        $line1 = /\* \* \* \* (root )?(curl|wget) / ascii
        $line2 = /@reboot [^\n]{0,40}(curl|wget) / ascii
        $pipe1 = "| sh" ascii
        $pipe2 = "|sh" ascii
        $pipe3 = "| bash" ascii
        $pipe4 = "|bash" ascii
    condition:
        any of ($cron*) and any of ($line*) and any of ($pipe*)
}

rule authorized_keys
{
    meta:
        description = "adds a key of its own to those that may log in by SSH"
        tag = "PERSISTENCE_SSH_KEY"
        heat = 6
    strings:
        $file = ".ssh/authorized_keys" ascii
        $key = "ssh-rsa AAAAB3NzaC1yc2E" ascii
        $write1 = ">> " ascii
        $write2 = "chattr " ascii
        $write3 = "echo " ascii
    condition:
        $file and $key and 2 of ($write*) and filesize < 5MB
}

rule preloaded_library
{
    meta:
        description = "a library that has itself loaded into every program and hides files or processes"
        tag = "LD_PRELOAD_ROOTKIT"
        heat = 8
    strings:
        $file = "/etc/ld.so.preload" ascii
        $hook1 = "readdir64" ascii fullword
        $hook2 = "__xstat" ascii
        $hook3 = "pam_authenticate" ascii fullword
        $hook4 = "accept" ascii fullword
        $hook5 = "unlinkat" ascii fullword
        $next = "dlsym" ascii fullword
        $proc = "/proc/self/fd/%d" ascii
        $net = "/proc/net/tcp" ascii
    condition:
        uint32(0) == 0x464c457f and $file and $next and 2 of ($hook*) and any of ($proc, $net)
}
