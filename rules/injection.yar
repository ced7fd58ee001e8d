/* Code that is put into, or run in, another place than its own file. */

rule remote_thread
{
    meta:
        description = "writes into another process and starts a thread there"
        tag = "PROCESS_INJECTION"
        heat = 7
    strings:
        $open = "OpenProcess" ascii wide fullword
        $allocate1 = "VirtualAllocEx" ascii wide fullword
        $allocate2 = "NtAllocateVirtualMemory" ascii wide fullword
        $write1 = "WriteProcessMemory" ascii wide fullword
        $write2 = "NtWriteVirtualMemory" ascii wide fullword
        $run1 = "CreateRemoteThread" ascii wide
        $run2 = "NtCreateThreadEx" ascii wide fullword
        $run3 = "RtlCreateUserThread" ascii wide fullword
        $run4 = "QueueUserAPC" ascii wide fullword
        // A table of a whole interface: a system library, or a tool that parses programs
        $table1 = "SetTapePosition" ascii wide fullword
        $table2 = "TransmitCommChar" ascii wide fullword
        $table3 = "GetNumaHighestNodeNumber" ascii wide fullword
        $table4 = "NtPulseEvent" ascii wide fullword
        $table5 = "NtSaveKey" ascii wide fullword
        $table6 = "NtFlushKey" ascii wide fullword
        $table7 = "NtAdjustGroupsToken" ascii wide fullword
    condition:
        uint16(0) == 0x5a4d and filesize < 20MB and $open
        and any of ($allocate*) and any of ($write*) and any of ($run*)
        and not 3 of ($table*)
}

rule process_hollowing
{
    meta:
        description = "starts a process only to replace what runs in it"
        tag = "PROCESS_HOLLOWING"
        heat = 8
    strings:
        $start = "CreateProcess" ascii wide
        $unmap1 = "NtUnmapViewOfSection" ascii wide fullword
        $unmap2 = "ZwUnmapViewOfSection" ascii wide fullword
        $write1 = "WriteProcessMemory" ascii wide fullword
        $write2 = "NtWriteVirtualMemory" ascii wide fullword
        $context1 = "SetThreadContext" ascii wide
        $context2 = "NtSetContextThread" ascii wide fullword
        $resume = "ResumeThread" ascii wide
        // A table of a whole interface: a system library, or a tool that parses programs
        $table1 = "SetTapePosition" ascii wide fullword
        $table2 = "TransmitCommChar" ascii wide fullword
        $table3 = "GetNumaHighestNodeNumber" ascii wide fullword
        $table4 = "NtPulseEvent" ascii wide fullword
        $table5 = "NtSaveKey" ascii wide fullword
        $table6 = "NtFlushKey" ascii wide fullword
        $table7 = "NtAdjustGroupsToken" ascii wide fullword
    condition:
        uint16(0) == 0x5a4d and filesize < 20MB and $start and $resume
        and any of ($unmap*) and any of ($write*) and any of ($context*)
        and not 3 of ($table*)
}

rule reflective_loader
{
    meta:
        description = "a library that loads itself from memory"
        tag = "REFLECTIVE_LOADER"
        heat = 8
    strings:
        $name1 = "_ReflectiveLoader@4" ascii
        $name2 = "?ReflectiveLoader@@" ascii
        $name3 = "\x00ReflectiveLoader\x00" ascii
        $memory = "VirtualAlloc" ascii
    condition:
        uint16(0) == 0x5a4d and any of ($name*) and $memory
}

rule powershell_shellcode
{
    meta:
        description = "PowerShell that runs machine code in its own process"
        tag = "POWERSHELL_SHELLCODE"
        heat = 8
    strings:
        $memory1 = "VirtualAlloc" ascii wide nocase
        $memory2 = "VirtualProtect" ascii wide nocase
        $call = "GetDelegateForFunctionPointer" ascii wide nocase
        $copy = "Marshal]::Copy" ascii wide nocase
        $native1 = "UnsafeNativeMethods" ascii wide nocase
        $native2 = "Add-Type" ascii wide nocase
        $native3 = "DefineDynamicAssembly" ascii wide nocase
    condition:
        uint16(0) != 0x5a4d and any of ($memory*) and $call and $copy and any of ($native*)
}

rule python_shellcode
{
    meta:
        description = "Python that runs machine code in its own process"
        tag = "PYTHON_SHELLCODE"
        heat = 8
    strings:
        $ctypes = "windll.kernel32" ascii
        $memory = "VirtualAlloc" ascii
        $copy = "RtlMoveMemory" ascii
        $run = "CreateThread" ascii
    condition:
        uint16(0) != 0x5a4d and all of them
}

rule macro_shellcode
{
    meta:
        description = "a macro that declares what it needs to run machine code"
        tag = "MACRO_SHELLCODE"
        heat = 8
    strings:
        $declare = "Declare PtrSafe Function" ascii nocase
        $memory1 = "VirtualAlloc" ascii
        $memory2 = "HeapCreate" ascii
        $copy1 = "RtlMoveMemory" ascii
        $copy2 = "WriteProcessMemory" ascii
        $run1 = "CreateThread" ascii
        $run2 = "EnumSystemLocales" ascii
        $run3 = "CallWindowProc" ascii
        $auto = /(AutoOpen|Auto_Open|Document_Open|Workbook_Open)\(/ ascii nocase
    condition:
        $declare and any of ($memory*) and any of ($copy*) and any of ($run*) and $auto
}

rule remote_mapping
{
    meta:
        description = "maps a section that it wrote into another process"
        tag = "SECTION_INJECTION"
        heat = 7
    strings:
        $create = "NtCreateSection" ascii wide fullword
        $map = "NtMapViewOfSection" ascii wide fullword
        $open1 = "NtOpenProcess" ascii wide fullword
        $open2 = "OpenProcess" ascii wide fullword
        $run1 = "NtQueueApcThread" ascii wide fullword
        $run2 = "NtCreateThreadEx" ascii wide fullword
        $run3 = "SetThreadContext" ascii wide fullword
        $run4 = "RtlCreateUserThread" ascii wide fullword
        // A table of a whole interface: a system library, or a tool that parses programs
        $table1 = "SetTapePosition" ascii wide fullword
        $table2 = "TransmitCommChar" ascii wide fullword
        $table3 = "GetNumaHighestNodeNumber" ascii wide fullword
        $table4 = "NtPulseEvent" ascii wide fullword
        $table5 = "NtSaveKey" ascii wide fullword
        $table6 = "NtFlushKey" ascii wide fullword
        $table7 = "NtAdjustGroupsToken" ascii wide fullword
    condition:
        uint16(0) == 0x5a4d and filesize < 5MB and $create and $map and any of ($open*) and any of ($run*)
        and not 3 of ($table*)
}
