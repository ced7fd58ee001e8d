/* Taking files hostage. */

rule shadow_copies
{
    meta:
        description = "deletes the copies that files could be restored from"
        tag = "SHADOW_COPY_DELETION"
        heat = 8
    strings:
        $s1 = "delete shadows /all" ascii wide nocase
        $s2 = "shadowcopy delete" ascii wide nocase
        $s3 = "resize shadowstorage /for=" ascii wide nocase
        $s4 = "Win32_ShadowCopy | ForEach-Object" ascii wide nocase
        $s5 = "delete catalog -quiet" ascii wide nocase
        $s6 = "delete systemstatebackup" ascii wide nocase
    condition:
        any of ($s1, $s2, $s4) or 2 of them
}

rule recovery_off
{
    meta:
        description = "turns off the repair that Windows would start with"
        tag = "RECOVERY_TAMPERING"
        heat = 7
    strings:
        $tool = "bcdedit" ascii wide nocase
        $off1 = "recoveryenabled no" ascii wide nocase
        $off2 = "bootstatuspolicy ignoreallfailures" ascii wide nocase
    condition:
        $tool and any of ($off*)
}

rule ransom_note
{
    meta:
        description = "holds the text of a ransom note"
        tag = "RANSOM_NOTE"
        heat = 7
    strings:
        $taken1 = "files have been encrypted" ascii wide nocase
        $taken2 = "files are encrypted" ascii wide nocase
        $taken3 = "files were encrypted" ascii wide nocase
        $taken4 = "network has been encrypted" ascii wide nocase
        $taken5 = "data has been stolen" ascii wide nocase
        $pay1 = "bitcoin" ascii wide nocase
        $pay2 = "decryption tool" ascii wide nocase
        $pay3 = "decryptor" ascii wide nocase
        $pay4 = "private key" ascii wide nocase
        $pay5 = "ransom" ascii wide nocase
        $way1 = "Tor Browser" ascii wide nocase
        $way2 = ".onion" ascii wide nocase
        $way3 = "do not rename" ascii wide nocase
        $way4 = "third party software" ascii wide nocase
        $way5 = "contact us" ascii wide nocase
        $way6 = "decrypt one file for free" ascii wide nocase
        $way7 = "your personal id" ascii wide nocase
    condition:
        any of ($taken*) and any of ($pay*) and 2 of ($way*)
}

rule services_stopped
{
    meta:
        description = "knows the services that keep files open, to stop them before it encrypts"
        tag = "SERVICE_KILL_LIST"
        heat = 6
    strings:
        $s1 = "sqlservr" ascii wide nocase
        $s2 = "MSExchange" ascii wide nocase
        $s3 = "VeeamDeploymentService" ascii wide nocase
        $s4 = "QBIDPService" ascii wide nocase
        $s5 = "BackupExecVSSProvider" ascii wide nocase
        $s6 = "sqlwriter" ascii wide nocase
        $s7 = "mydesktopservice" ascii wide nocase
        $s8 = "ocautoupds" ascii wide nocase
        $s9 = "GxVss" ascii wide
        $s10 = "AcronisAgent" ascii wide nocase
        $s11 = "tbirdconfig" ascii wide nocase
        $s12 = "agntsvc" ascii wide nocase
        $s13 = "YooBackup" ascii wide nocase
    condition:
        5 of them
}

rule hypervisor_encryption
{
    meta:
        description = "stops virtual machines of an ESXi host, as is done before their disks are encrypted"
        tag = "ESXI_TARGETING"
        heat = 7
    strings:
        $stop1 = "esxcli vm process kill" ascii
        $stop2 = "vim-cmd vmsvc/power.off" ascii
        $stop3 = "esxcli --formatter=csv" ascii
        $disk1 = ".vmdk" ascii
        $disk2 = ".vmsn" ascii
        $disk3 = "/vmfs/volumes" ascii
    condition:
        any of ($stop*) and any of ($disk*)
}
