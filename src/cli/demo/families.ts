/** A malware family of the invented history: what its reports and analyses look like. */
export interface DemoFamily {
  readonly name: string;
  readonly kind: 'RAT' | 'STEALER' | 'BOTNET' | 'LOADER' | 'BACKDOOR';
  /** How often it is reported. */
  readonly weight: number;
  readonly ports: readonly number[];
  readonly format: readonly string[];
  readonly fileNames: readonly string[];
  readonly version: string;
}

const DOTNET = ['DOTNET', 'PE32'];
const PE32 = ['PE32'];
const PE64 = ['PE64'];
const ELF = ['ELF'];

const OFFICE = ['invoice.exe', 'remittance.exe', 'quotation.exe', 'swift-copy.exe'];
const GAMES = ['aimbot.exe', 'free-skins.exe', 'mod-menu.exe', 'booster.exe'];
const SETUPS = ['Setup.exe', 'installer.exe', 'update.exe', 'verify.exe'];
const BOTS = ['bot.arm7', 'bot.mips', 'bot.x86', 'sora.arm'];

export const DEMO_FAMILIES: readonly DemoFamily[] = [
  family('ASYNCRAT', 'RAT', 16, [6606, 7707, 8808], DOTNET, OFFICE, '0.5.8'),
  family('XWORM', 'RAT', 14, [7000, 7001], DOTNET, GAMES, '5.6'),
  family('REMCOS', 'RAT', 12, [2404, 2405], PE32, OFFICE, '4.9.4 Pro'),
  family('NJRAT', 'RAT', 8, [5552, 1177], DOTNET, GAMES, '0.7d'),
  family('COBALTSTRIKE', 'BACKDOOR', 7, [443, 8443, 53], PE64, SETUPS, '4.9'),
  family('REDLINE', 'STEALER', 9, [1912, 6677], DOTNET, SETUPS, ''),
  family('MIRAI', 'BOTNET', 9, [23, 1024, 6667], ELF, BOTS, ''),
  family('LUMMA', 'STEALER', 8, [443], PE32, SETUPS, ''),
  family('QUASARRAT', 'RAT', 5, [4782], DOTNET, SETUPS, '1.4.1'),
  family('STEALC', 'STEALER', 5, [80], PE32, SETUPS, ''),
  family('DCRAT', 'RAT', 4, [8848], DOTNET, GAMES, '1.0.7'),
  family('AMADEY', 'LOADER', 4, [80], PE32, SETUPS, '4.41'),
  family('VENOMRAT', 'RAT', 3, [4449], DOTNET, GAMES, '6.0.3'),
  family('NANOCORE', 'RAT', 3, [54984], DOTNET, OFFICE, '1.2.2.0'),
  family('AGENTTESLA', 'STEALER', 4, [587], DOTNET, OFFICE, ''),
  family('SNAKE_KEYLOGGER', 'STEALER', 3, [587, 21], DOTNET, OFFICE, ''),
  family('BLANK_GRABBER', 'STEALER', 2, [443], PE64, GAMES, ''),
  family('SYSTEMBC', 'BACKDOOR', 3, [4001, 443], PE32, SETUPS, ''),
  family('GAFGYT', 'BOTNET', 4, [666, 23], ELF, BOTS, ''),
  family('XENORAT', 'RAT', 2, [4444], DOTNET, GAMES, ''),
];

function family(
  name: string,
  kind: DemoFamily['kind'],
  weight: number,
  ports: readonly number[],
  ...[format, fileNames, version]: [readonly string[], readonly string[], string]
): DemoFamily {
  return { name, kind, weight, ports, format, fileNames, version };
}
