/** What a host name and a path reveal by themselves. Nothing is resolved or contacted. */
export type HostTag =
  | 'DISCORD_WEBHOOK'
  | 'TELEGRAM_BOT'
  | 'PASTE_SERVICE'
  | 'TUNNEL_SERVICE'
  | 'FILE_HOST_DOWNLOAD'
  | 'DEAD_DROP_PROFILE'
  | 'DYNAMIC_DNS'
  | 'IP_LOOKUP_SERVICE'
  | 'ONION_ADDRESS';

interface Service {
  readonly tag: HostTag;
  /** The path that is required for a match. */
  readonly path?: RegExp | undefined;
}

const listed: readonly [HostTag, string, RegExp?][] = [
  ['DISCORD_WEBHOOK', 'discord.com discordapp.com', /^\/api(?:\/v\d{1,2})?\/webhooks\/\d{5,20}\//],
  ['TELEGRAM_BOT', 'api.telegram.org', /^\/(?:file\/)?bot/],
  [
    'PASTE_SERVICE',
    `pastebin.com pastebin.pl paste.ee pastes.io paste.rs paste.fo paste.bingner.com hastebin.com ghostbin.com
     ghostbin.co rentry.co rentry.org controlc.com dpaste.com dpaste.org 0bin.net justpaste.it pastie.org
     textbin.net privatebin.net privatebin.info pst.klgrth.io bpa.st ix.io sprunge.us termbin.com gist.github.com
     gist.githubusercontent.com hst.sh pastecode.io paste.c-net.org`,
  ],
  [
    'TUNNEL_SERVICE',
    `ngrok.io ngrok.app ngrok.dev ngrok-free.app ngrok-free.dev ngrok.com playit.gg ply.gg joinmc.link serveo.net
     localhost.run lhr.life lhr.rocks trycloudflare.com portmap.io portmap.host bore.pub localtunnel.me loca.lt
     pagekite.me telebit.io localxpose.io loclx.io pinggy.io pinggy.link tunnelto.dev devtunnels.ms zrok.io
     packetriot.net cpolar.io cpolar.top natappfree.cc`,
  ],
  [
    'FILE_HOST_DOWNLOAD',
    `raw.githubusercontent.com transfer.sh anonfiles.com bashupload.com oshi.at temp.sh litterbox.catbox.moe
     files.catbox.moe gofile.io file.io pixeldrain.com mediafire.com mega.nz sendspace.com krakenfiles.com
     workupload.com ufile.io filebin.net dl.dropboxusercontent.com`,
  ],
  [
    'FILE_HOST_DOWNLOAD',
    'cdn.discordapp.com cdn.discord.com media.discordapp.net',
    /^\/(?:ephemeral-)?attachments\//,
  ],
  ['FILE_HOST_DOWNLOAD', 'github.com gitlab.com', /^\/[^/]+\/[^/]+\/(?:-\/)?raw\//],
  ['FILE_HOST_DOWNLOAD', 'bitbucket.org', /^\/[^/]+\/[^/]+\/downloads\//],
  ['FILE_HOST_DOWNLOAD', 'drive.google.com drive.usercontent.google.com', /^\/(?:uc|download)\b/],
  ['FILE_HOST_DOWNLOAD', 'onedrive.live.com', /^\/download\b/],
  ['DEAD_DROP_PROFILE', 't.me telegram.me', /^\/[A-Za-z0-9_+]{4,}/],
  ['DEAD_DROP_PROFILE', 'telegra.ph', /^\/./],
  ['DEAD_DROP_PROFILE', 'steamcommunity.com', /^\/(?:profiles|id)\/./],
  [
    'DYNAMIC_DNS',
    `duckdns.org no-ip.org no-ip.com no-ip.biz no-ip.info noip.me noip.us ddns.net ddns.me hopto.org hopto.me
     zapto.org sytes.net myftp.org myftp.biz myvnc.com servehttp.com serveftp.com serveblog.net servegame.com
     servebeer.com servecounterstrike.com serveminecraft.net redirectme.net gotdns.ch bounceme.net 3utilities.com
     webhop.me dyndns.org dyndns.biz dyndns.info dyndns.tv dynalias.com homeip.net homelinux.org chickenkiller.com
     mooo.com ignorelist.com strangled.net twilightparadox.com crabdance.com jumpingcrab.com linkpc.net
     publicvm.com work.gd run.place kozow.com loseyourip.com ooguy.com theworkpc.com casacam.net accesscam.org
     camdvr.org freeddns.org mywire.org giize.com gleeze.com dynu.net ddnsfree.com ddnsgeek.com dynv6.net
     nsupdate.info changeip.com dns04.com 3322.org f3322.net f3322.org x3322.net ddnsking.com dnsdynamic.org
     con-ip.com con-ip.co duia.eu`,
  ],
  [
    'IP_LOOKUP_SERVICE',
    `api.ipify.org api64.ipify.org ip-api.com ipinfo.io checkip.dyndns.org checkip.dyndns.com checkip.amazonaws.com
     icanhazip.com ifconfig.me ifconfig.co ident.me ipecho.net myexternalip.com whatismyipaddress.com wtfismyip.com
     freegeoip.app reallyfreegeoip.org ipwho.is ipapi.co geoplugin.net api.myip.com ip.anysrc.net api.ip.sb
     icanhazip.net ipify.org db-ip.com iplogger.org 2no.co grabify.link`,
  ],
  ['ONION_ADDRESS', 'onion'],
];

const services = new Map<string, readonly Service[]>();
for (const [tag, hosts, path] of listed) {
  for (const host of hosts.split(/\s+/)) {
    services.set(host, [...(services.get(host) ?? []), { tag, path }]);
  }
}

/** The top-level domains of the services: only bare names with one of these are parsed. */
export const SERVICE_ENDINGS: ReadonlySet<string> = new Set(
  [...services.keys()].map((host) => host.slice(host.lastIndexOf('.') + 1)),
);

/**
 * Hosts that are common in harmless files: namespaces, schemas, certificate authorities, vendors of
 * compilers and libraries.
 */
const BENIGN: ReadonlySet<string> = new Set(
  `w3.org xml.org xmlsoap.org openxmlformats.org purl.org xfa.org iptc.org json-schema.org oasis-open.org
   docbook.org dublincore.org xmlpull.org relaxng.org opengis.net wapforum.org ogp.me schema.org rdfs.org
   microsoft.com windows.com windowsupdate.com msdn.com aka.ms office.com nuget.org
   visualstudio.com adobe.com apple.com mozilla.org mozilla.com android.com gstatic.com
   verisign.com verisign.net digicert.com thawte.com symcb.com symcd.com symantec.com symauth.com geotrust.com
   rapidssl.com usertrust.com comodoca.com comodo.net comodo.com comodoca4.com sectigo.com globalsign.com
   globalsign.net entrust.net entrust.com letsencrypt.org lencr.org godaddy.com starfieldtech.com
   identrust.com trustwave.com quovadisglobal.com swisssign.com swisssign.net certum.pl wosign.com startssl.com
   startcomca.com valicert.com netlock.hu netlock.net trust-provider.com amazontrust.com pki.goog ssl.com
   buypass.no buypass.com harica.gr d-trust.net telesec.de trustcenter.de camerfirma.com accv.es firmaprofesional.com
   gnu.org openssl.org apache.org python.org sqlite.org zlib.net bzip.org freedesktop.org kernel.org debian.org
   ubuntu.com redhat.com fedoraproject.org gnome.org kde.org qt.io qt-project.org unicode.org ietf.org iana.org
   rfc-editor.org opensource.org creativecommons.org fsf.org eclipse.org oracle.com java.com java.net sun.com
   jquery.com jquery.org npmjs.org npmjs.com nodejs.org perl.org cpan.org php.net ruby-lang.org rust-lang.org
   golang.org go.dev llvm.org cygwin.com mingw.org launchpad.net
   stackoverflow.com wikipedia.org readthedocs.io readthedocs.org chromium.org webkit.org tcpdump.org jrsoftware.org
   sf.net innosetup.com oberhumer.com color.org iec.ch aiim.org npes.org
   xmlsoft.org exslt.org gimp.org inkscape.org libpng.org ijg.org example.com
   example.org example.net localhost.localdomain`.split(/\s+/),
);

/** Limits the work per name. */
const MAX_LABELS = 8;

export function isBenignHost(host: string): boolean {
  return endings(host).some((ending) => BENIGN.has(ending));
}

/** The service of a host and path. `host` is in lower case, without a port. */
export function serviceOf(host: string, path: string): HostTag | undefined {
  for (const ending of endings(host)) {
    const found = services.get(ending)?.find((one) => one.path?.test(path) !== false);
    if (found !== undefined && (found.tag !== 'ONION_ADDRESS' || isOnion(host))) return found.tag;
  }
  return undefined;
}

/** The name itself, then without its first label, and so on down to the top-level domain. */
function endings(host: string): string[] {
  const labels = host.split('.').slice(-MAX_LABELS);
  return labels.map((_, first) => labels.slice(first).join('.'));
}

/**
 * Names of hidden services are a hash or a key in base32: 16 characters (version 2) or 56 (version
 * 3).
 */
function isOnion(host: string): boolean {
  return /(?:^|\.)(?:[a-z2-7]{16}|[a-z2-7]{56})\.onion$/.test(host);
}

/** Top-level domains that are common for hosts. */
const PLAIN_ENDINGS: ReadonlySet<string> = new Set(
  `com net org info biz ru cn top xyz club online site icu su tk ga cf gq ua by kz ir br in tr vn id pl ro bg
   de fr uk nl it es eu us ca au jp kr tw hk sg my th ph ae sa il eg ng za ke ma dz tn mx ar co cl pe ve
   cz sk hu gr pt se no fi dk be ch at ie lt lv ee rs ba si hr ua ge am az uz onion live pro fun space website
   store shop tech host press link click work world life today email cloud app dev gg io me tv la ws cx vip
   wtf lol best monster buzz cyou cfd sbs rest bond quest ltd pw name mobi asia tel xxx gov edu mil int
   duckdns ddns invalid run`.split(/\s+/),
);
/** Top-level domains that are also file extensions; names with them need three labels. */
const DOUBTFUL_ENDINGS: ReadonlySet<string> = new Set(
  'cc rs sh py pl so md ml ps in id it is no by do mk mm ms st py cs im to pm vb am app dev la run be at my me'.split(
    ' ',
  ),
);

/** Whether the name before a colon and a number is a host, and not `main.cc:42`. */
export function isLikelyHost(host: string): boolean {
  const labels = host.split('.');
  const ending = labels.at(-1) ?? '';
  if (DOUBTFUL_ENDINGS.has(ending)) return labels.length >= 3;
  return PLAIN_ENDINGS.has(ending);
}
