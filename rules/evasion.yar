/* Turning off, blinding or getting around what would notice. */

rule amsi_bypass
{
    meta:
        description = "turns off the interface that scripts are scanned through"
        tag = "AMSI_BYPASS"
        heat = 7
    strings:
        $utils = "System.Management.Automation.AmsiUtils" ascii wide nocase
        $field1 = "amsiInitFailed" ascii wide nocase
        $field2 = "amsiContext" ascii wide nocase
        $reach1 = "GetField" ascii wide nocase
        $reach2 = "NonPublic" ascii wide nocase
        $function = "AmsiScanBuffer" ascii wide
        $protect = "VirtualProtect" ascii wide
        $library = "amsi.dll" ascii wide nocase
        // mov eax, 80070057h; ret: makes every scan fail
        $patch = { b8 57 00 07 80 c3 }
        $patchText = "0xB8, 0x57, 0x00, 0x07, 0x80, 0xC3" ascii wide nocase
    condition:
        ($utils and any of ($field*) and any of ($reach*))
        or ($function and $library and $protect and any of ($patch*))
}

rule etw_bypass
{
    meta:
        description = "stops Windows from tracing what it does"
        tag = "ETW_BYPASS"
        heat = 7
    strings:
        $function1 = "EtwEventWrite" ascii wide fullword
        $function2 = "NtTraceEvent" ascii wide fullword
        $library = "ntdll" ascii wide nocase
        $protect1 = "VirtualProtect" ascii wide
        $protect2 = "NtProtectVirtualMemory" ascii wide
        $write1 = "WriteProcessMemory" ascii wide
        $write2 = "Marshal" ascii fullword
        $amsi = "AmsiScanBuffer" ascii wide
        // A table of a whole interface: a system library, or a tool that parses programs
        $table1 = "SetTapePosition" ascii wide fullword
        $table2 = "TransmitCommChar" ascii wide fullword
        $table3 = "GetNumaHighestNodeNumber" ascii wide fullword
        $table4 = "NtPulseEvent" ascii wide fullword
        $table5 = "NtSaveKey" ascii wide fullword
        $table6 = "NtFlushKey" ascii wide fullword
        $table7 = "NtAdjustGroupsToken" ascii wide fullword
    condition:
        filesize < 10MB and any of ($function*) and $library and any of ($protect*)
        and ($amsi or any of ($write*))
        and not 3 of ($table*)
}

rule defender_tampering
{
    meta:
        description = "takes itself out of what Microsoft Defender looks at, or turns it off"
        tag = "DEFENDER_TAMPERING"
        heat = 7
    strings:
        $add = "Add-MpPreference" ascii wide nocase
        $exclude1 = "-ExclusionPath" ascii wide nocase
        $exclude2 = "-ExclusionProcess" ascii wide nocase
        $exclude3 = "-ExclusionExtension" ascii wide nocase
        $set = "Set-MpPreference" ascii wide nocase
        $off1 = "DisableRealtimeMonitoring" ascii wide nocase
        $off2 = "DisableIOAVProtection" ascii wide nocase
        $off3 = "SubmitSamplesConsent" ascii wide nocase
        $policy = "Policies\\Microsoft\\Windows Defender" ascii wide nocase
        $off4 = "DisableAntiSpyware" ascii wide nocase
    condition:
        ($add and any of ($exclude*)) or ($set and any of ($off*)) or ($policy and any of ($off*))
}

rule virtual_machine_checks
{
    meta:
        description = "looks for signs of a virtual machine or sandbox"
        tag = "ANTI_VM"
        heat = 5
    strings:
        $s1 = "vmtoolsd" ascii wide nocase
        $s2 = "VBoxService" ascii wide nocase
        $s3 = "VBoxTray" ascii wide nocase
        $s4 = "vmwaretray" ascii wide nocase
        $s5 = "SbieDll.dll" ascii wide nocase
        $s6 = "VBoxGuest.sys" ascii wide nocase
        $s7 = "vmhgfs.sys" ascii wide nocase
        $s8 = "qemu-ga" ascii wide nocase
        $s9 = "VBoxMouse.sys" ascii wide nocase
        $s10 = "vboxhook.dll" ascii wide nocase
        $s11 = "cuckoomon.dll" ascii wide nocase
        $s12 = "WDAGUtilityAccount" ascii wide nocase
        $s13 = "joeboxcontrol" ascii wide nocase
        $s14 = "xenservice" ascii wide nocase
        $s15 = "prl_tools" ascii wide nocase
    condition:
        4 of them
}

rule analysis_tools
{
    meta:
        description = "knows the names of the tools that it would be looked at with"
        tag = "ANTI_ANALYSIS"
        heat = 5
    strings:
        $s1 = "wireshark" ascii wide nocase fullword
        $s2 = "procmon" ascii wide nocase fullword
        $s3 = "x64dbg" ascii wide nocase fullword
        $s4 = "x32dbg" ascii wide nocase fullword
        $s5 = "ollydbg" ascii wide nocase fullword
        $s6 = "processhacker" ascii wide nocase fullword
        $s7 = "fiddler" ascii wide nocase fullword
        $s8 = "dnspy" ascii wide nocase fullword
        $s9 = "ida64" ascii wide nocase fullword
        $s10 = "pestudio" ascii wide nocase fullword
        $s11 = "httpdebuggerui" ascii wide nocase
        $s12 = "ksdumper" ascii wide nocase
        $s13 = "importrec" ascii wide nocase
        $s14 = "immunitydebugger" ascii wide nocase
        $s15 = "procexp64" ascii wide nocase fullword
    condition:
        5 of them
}

rule uac_bypass
{
    meta:
        description = "raises its rights without asking, through a program that Windows trusts"
        tag = "UAC_BYPASS"
        heat = 7
    strings:
        $host1 = "fodhelper.exe" ascii wide nocase
        $host2 = "computerdefaults.exe" ascii wide nocase
        $host3 = "eventvwr.exe" ascii wide nocase
        $host4 = "sdclt.exe" ascii wide nocase
        $key1 = "ms-settings\\shell\\open\\command" ascii wide nocase
        $key2 = "mscfile\\shell\\open\\command" ascii wide nocase
        $key3 = "Classes\\Folder\\shell\\open\\command" ascii wide nocase
        $moniker1 = "Elevation:Administrator!new:" ascii wide nocase
        $moniker2 = "3E5FC7F9-9A51-4367-9063-A120244FBEC7" ascii wide nocase
    condition:
        (any of ($host*) and any of ($key*)) or all of ($moniker*)
}

rule log_clearing
{
    meta:
        description = "empties the event logs"
        tag = "LOG_CLEARING"
        heat = 6
    strings:
        $tool1 = /wevtutil(\.exe)? (cl|clear-log) / ascii wide nocase
        $tool2 = "Clear-EventLog" ascii wide nocase
        $log1 = "Security" ascii wide fullword
        $log2 = "System" ascii wide fullword
        $log3 = "Application" ascii wide fullword
        $shell1 = "history -c" ascii
        $shell2 = "> /var/log/wtmp" ascii
        $shell3 = "rm -rf /var/log" ascii
        $shell4 = "unset HISTFILE" ascii
    condition:
        (any of ($tool*) and 2 of ($log*) and filesize < 20MB) or 3 of ($shell*)
}

rule policy_tampering
{
    meta:
        description = "forbids the user the tools to get rid of it"
        tag = "POLICY_TAMPERING"
        heat = 6
    strings:
        $key = "CurrentVersion\\Policies\\System" ascii wide nocase
        $value1 = "DisableTaskMgr" ascii wide nocase
        $value2 = "DisableRegistryTools" ascii wide nocase
        $value3 = "DisableCMD" ascii wide nocase
        $value4 = "EnableLUA" ascii wide fullword
        $value5 = "ConsentPromptBehaviorAdmin" ascii wide
        $write1 = "RegSetValueEx" ascii wide
        $write2 = "reg add" ascii wide nocase
        $write3 = "SetValue" ascii wide fullword
    condition:
        $key and 2 of ($value*) and any of ($write*)
}

rule hidden_powershell
{
    meta:
        description = "starts PowerShell without a window and around its policy"
        tag = "HIDDEN_POWERSHELL"
        heat = 5
    strings:
        $shell = "powershell" ascii wide nocase
        $hidden1 = "-windowstyle hidden" ascii wide nocase
        $hidden2 = "-w hidden" ascii wide nocase
        $hidden3 = "-win hidden" ascii wide nocase
        $around1 = "-executionpolicy bypass" ascii wide nocase
        $around2 = "-ep bypass" ascii wide nocase
        $around3 = "-exec bypass" ascii wide nocase
        $around4 = "-encodedcommand" ascii wide nocase
        $around5 = /-e(nc?)? [A-Za-z0-9+\/]{40}/ ascii wide nocase
    condition:
        $shell and any of ($hidden*) and any of ($around*)
}

rule critical_process
{
    meta:
        description = "marks itself critical, so that ending it stops the machine"
        tag = "CRITICAL_PROCESS"
        heat = 6
    strings:
        $call1 = "RtlSetProcessIsCritical" ascii wide fullword
        $call2 = "NtSetInformationProcess" ascii wide fullword
        $right1 = "SeDebugPrivilege" ascii wide
        $right2 = "EnterDebugMode" ascii wide
        $net = "BSOD" ascii wide nocase
    condition:
        filesize < 20MB and (($call1 and any of ($right*)) or ($call2 and $right2 and $net))
}

rule self_deletion
{
    meta:
        description = "waits and then deletes its own file"
        tag = "SELF_DELETION"
        heat = 5
    strings:
        $wait1 = /ping (127\.0\.0\.1|1\.1\.1\.1|localhost|0) -n \d{1,2}/ ascii wide nocase
        $choice = "choice /C Y /N /D Y /T" ascii wide nocase
        $wait3 = /timeout (\/t )?\d{1,2}/ ascii wide nocase
        $delete1 = "& del " ascii wide nocase
        $delete2 = "&del " ascii wide nocase
        $delete3 = "& Del " ascii wide
        $own = "DEL \"%~f0\"" ascii wide nocase
        $quiet = "> nul" ascii wide nocase
    condition:
        ($choice and any of ($delete*, $own)) or (any of ($wait*) and ($own or (any of ($delete*) and $quiet)))
}
