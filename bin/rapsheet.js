#!/usr/bin/env node
import('./launch.js').catch((error) => {
  process.stderr.write(`rapsheet: ${error.message}\n`);
  process.exitCode = 1;
});
