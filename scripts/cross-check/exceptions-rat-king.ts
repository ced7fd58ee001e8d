import type { Exception } from './compare.ts';

const RAT_KING: readonly Omit<Exception, 'parser'>[] = [
  {
    fixtures: [
      'asyncrat-clone.exe',
      'asyncrat-dcrat-several.exe',
      'asyncrat-dcrat.exe',
      'asyncrat-nameless.exe',
      'asyncrat-plain.exe',
      'asyncrat-venomrat-hosts.exe',
      'asyncrat-venomrat.exe',
      'quasar-md5.exe',
      'quasar-nameless.exe',
      'quasar-plain.exe',
      'quasar-small-key.exe',
      'xworm-cbc.exe',
      'xworm-dead-drop.exe',
      'xworm-nameless-wallets.exe',
      'xworm-nameless.exe',
      'xworm-plain.exe',
      'xworm-shapes.exe',
      'xworm-triple-des.exe',
      'xworm-wallets.exe',
    ],
    kind: 'unread',
    reason: 'it does not find the decryption in the code of the fixtures',
  },
];

export const RAT_KING_EXCEPTIONS: readonly Exception[] = RAT_KING.map((one) => ({
  parser: 'rat_king_parser',
  ...one,
}));
