import { runCommand } from './commands.ts';
import { runPart } from './parts.ts';

await runPart({
  name: 'dev',
  usual: {
    summary: 'the web application, rebuilt at every change, with the options of Vite',
    run: (args) => runCommand('vite --config web/vite.config.ts', args),
  },
  parts: {
    server: {
      summary: 'the server, restarted at every change, with the options of `rapsheet serve`',
      run: (args) => runCommand('node --watch src/cli/rapsheet.ts serve', args),
    },
  },
});
