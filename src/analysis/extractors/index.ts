import { agenttesla } from './agenttesla.ts';
import { amadey } from './amadey.ts';
import { asyncrat } from './asyncrat.ts';
import { blankGrabber } from './blank-grabber.ts';
import { cobaltStrike } from './cobalt-strike/cobalt-strike.ts';
import type { Extractor } from './extractor.ts';
import { gafgyt } from './gafgyt.ts';
import { generic } from './generic.ts';
import { lumma } from './lumma.ts';
import { mirai } from './mirai/mirai.ts';
import { nanocore } from './nanocore/nanocore.ts';
import { njrat } from './njrat/njrat.ts';
import { pyinstaller } from './pyinstaller.ts';
import { quasar } from './quasar.ts';
import { redline } from './redline/redline.ts';
import { remcos } from './remcos.ts';
import { snake } from './snake.ts';
import { stealc } from './stealc.ts';
import { strrat } from './strrat.ts';
import { systembc } from './systembc.ts';
import { vidar } from './vidar/vidar.ts';
import { winos } from './winos.ts';
import { xenorat } from './xenorat.ts';
import { xworm } from './xworm/xworm.ts';

/** All extractors, in the order in which they are tried: the most common families first. */
export const extractors: readonly Extractor[] = [
  ...[asyncrat, xworm, remcos, njrat, cobaltStrike, redline, mirai, blankGrabber, pyinstaller],
  ...[quasar, xenorat, agenttesla, snake, nanocore, stealc, vidar, amadey, lumma],
  ...[winos, systembc, gafgyt, strrat],
  // Last: it leaves out what a family of the same file reports.
  generic,
];
