/* What a program was wrapped with, where that says something about it. */

rule confuserex
{
    meta:
        description = "a .NET program obfuscated by ConfuserEx"
        tag = "CONFUSEREX"
        heat = 5
    strings:
        $net = "_CorExeMain" ascii
        $dll = "_CorDllMain" ascii
        $name1 = "ConfusedByAttribute" ascii
        $name2 = "ConfuserEx v" ascii wide
        $name3 = "Confuser.Core " ascii wide
    condition:
        uint16(0) == 0x5a4d and any of ($net, $dll) and any of ($name*)
}

rule dotnet_reactor
{
    meta:
        description = "a .NET program protected by .NET Reactor"
        tag = "DOTNET_REACTOR"
        heat = 4
    strings:
        $net = "mscoree.dll" ascii
        $module = "<PrivateImplementationDetails>{" ascii
        $name1 = "is protected by an unregistered version of .NET Reactor" wide
        $name2 = "$$method0x6000" ascii
        $name3 = "__StaticArrayInitTypeSize=" ascii
        $name4 = "Eziriz" ascii wide nocase
    condition:
        uint16(0) == 0x5a4d and $net and ($name1 or $name4 or ($module and $name2 and $name3))
}

rule vmprotect
{
    meta:
        description = "a program protected by VMProtect"
        tag = "VMPROTECT"
        heat = 4
    strings:
        $section0 = ".vmp0\x00\x00\x00" ascii
        $section1 = ".vmp1\x00\x00\x00" ascii
        $section2 = ".vmp2\x00\x00\x00" ascii
    condition:
        uint16(0) == 0x5a4d and for any of them : ($ in (0..4096))
}

rule themida
{
    meta:
        description = "a program protected by Themida or WinLicense"
        tag = "THEMIDA"
        heat = 4
    strings:
        $section1 = ".themida" ascii
        $section2 = ".winlice" ascii
        $section3 = ".boot\x00\x00\x00" ascii
    condition:
        uint16(0) == 0x5a4d and (any of ($section1, $section2) in (0..4096))
        or (uint16(0) == 0x5a4d and $section3 in (0..1024) and $section1)
}

rule enigma_protector
{
    meta:
        description = "a program protected by Enigma"
        tag = "ENIGMA_PROTECTOR"
        heat = 4
    strings:
        $section1 = ".enigma1" ascii
        $section2 = ".enigma2" ascii
    condition:
        uint16(0) == 0x5a4d and all of them
}

rule mpress
{
    meta:
        description = "a program packed by MPRESS"
        tag = "MPRESS"
        heat = 4
    strings:
        $section1 = ".MPRESS1" ascii
        $section2 = ".MPRESS2" ascii
    condition:
        uint16(0) == 0x5a4d and all of them
}

rule autoit
{
    meta:
        description = "a compiled AutoIt script"
        tag = "AUTOIT"
        heat = 3
    strings:
        $script = "AU3!EA06" ascii
        $guid = { a3 48 4b be 98 6c 4a a9 99 4c 53 0a 86 d6 48 7d }
        $text = "This is a third-party compiled AutoIt script." ascii wide
    condition:
        2 of them
}

rule python_bundle
{
    meta:
        description = "a Python program bundled into one file"
        tag = "PYTHON_BUNDLE"
        heat = 3
    strings:
        $pyinstaller = { 4d 45 49 0c 0b 0a 0b 0e }
        $unpack = "_MEIPASS" ascii
        $nuitka1 = "NUITKA_ONEFILE_PARENT" ascii wide
        $nuitka2 = "NUITKA_PACKAGE_HOME" ascii wide
        $py2exe = "PYTHONSCRIPT" ascii wide
        $zipextimporter = "zipextimporter" ascii
    condition:
        (uint16(0) == 0x5a4d or uint32(0) == 0x464c457f)
        and (($pyinstaller and $unpack) or any of ($nuitka*) or ($py2exe and $zipextimporter))
}

rule broken_upx
{
    meta:
        description = "packed by UPX and then changed so that UPX does not unpack it"
        tag = "TAMPERED_UPX"
        heat = 6
    strings:
        $copyright = "$Info: This file is packed with the UPX executable packer" ascii
        $id = "$Id: UPX " ascii
        $magic = "UPX!" ascii
    condition:
        uint32(0) == 0x464c457f and any of ($copyright, $id) and #magic < 2
}
