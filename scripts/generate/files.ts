import { rowsOf } from '../../src/config/read-settings.ts';
import { CLIENT_SETTINGS, SETTINGS } from '../../src/config/settings.ts';
import { configurationPage } from './configuration-page.ts';
import { readDocument } from './document.ts';
import { errorsPage } from './errors-page.ts';
import { familiesPage } from './families-page.ts';
import { manPage } from './man-page.ts';
import { pythonModels } from './python-models.ts';
import { tagsPage } from './tags-page.ts';
import { wireTypes } from './wire-types.ts';

export interface GeneratedFile {
  /** Relative to the root of the project. */
  readonly path: string;
  readonly text: string;
}

/** All generated files. They are committed, so that readers need not generate them. */
export async function generateFiles(): Promise<readonly GeneratedFile[]> {
  const document = await readDocument();
  return [
    { path: 'docs/openapi.json', text: `${JSON.stringify(document, null, 2)}\n` },
    { path: 'src/client/wire.ts', text: wireTypes(document) },
    { path: 'clients/python/src/rapsheet/models.py', text: pythonModels(document) },
    { path: 'docs/man/rapsheet.1', text: await manPage(rowsOf(CLIENT_SETTINGS)) },
    { path: 'docs/operations/errors.md', text: errorsPage() },
    { path: 'docs/extending/tags.md', text: tagsPage() },
    { path: 'docs/extending/families.md', text: familiesPage() },
    {
      path: 'docs/operations/configuration.md',
      text: configurationPage(rowsOf(SETTINGS), rowsOf(CLIENT_SETTINGS)),
    },
  ];
}
