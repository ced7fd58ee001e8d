import { useNavigate } from '@tanstack/react-router';
import {
  BookOpen,
  Keyboard,
  LogOut,
  Menu as MenuIcon,
  Rss,
  ShieldCheck,
  Upload,
  User,
} from 'lucide-react';
import { useState } from 'react';
import { RapsheetError } from '../../../src/client/error.ts';
import { client } from '../api/client.ts';
import { becomeSignedOut, isAdmin, isResearcher, type Me } from '../api/session.ts';
import { MenuButton } from '../components/menu/menu-button.tsx';
import type { MenuEntry } from '../components/menu/menu-groups.ts';
import { showToast } from '../components/overlays/toasts.tsx';
import { useScreenWidth } from '../components/screen-width.ts';
import { chooseTheme, chosenTheme, THEMES, type Theme } from '../design/theme.ts';
import { explain } from '../text/explain.ts';
import { visible } from '../text/visible.ts';
import { showShortcuts } from './shortcuts.tsx';

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  system: 'As the device',
  light: 'Light',
  dark: 'Dark',
};

export function AccountMenu({ me }: { readonly me: Me }) {
  const navigate = useNavigate();
  const [theme, setTheme] = useState(chosenTheme);
  const signOut = async () => {
    try {
      await client.signOut();
    } catch (error) {
      // Otherwise the next person at this browser would still have the session.
      if (!(error instanceof RapsheetError && error.status === 401)) {
        showToast({ text: `You are still signed in: ${explain(error).text}`, isError: true });
        return;
      }
    }
    becomeSignedOut('reader');
    await navigate({ to: '/sign-in' });
  };
  const isNarrow = useScreenWidth() === 'narrow';
  const pages: MenuEntry[] = [
    ...(isNarrow ? narrowPages(me, (to) => void navigate({ to })) : []),
    {
      id: 'account',
      label: 'Account and tokens',
      icon: <User aria-hidden />,
      onAction: () => void navigate({ to: '/account' }),
    },
    ...(isAdmin(me)
      ? [
          {
            id: 'admin',
            label: 'Administration',
            icon: <ShieldCheck aria-hidden />,
            onAction: () => void navigate({ to: '/admin' }),
          },
        ]
      : []),
    {
      id: 'docs',
      label: 'API reference',
      icon: <BookOpen aria-hidden />,
      onAction: () => location.assign('/docs'),
    },
    {
      id: 'shortcuts',
      label: 'Keyboard shortcuts',
      icon: <Keyboard aria-hidden />,
      onAction: showShortcuts,
    },
  ];
  const themes = THEMES.map((name) => ({
    id: name,
    label: THEME_NAMES[name],
    isSelected: name === theme,
    onAction: () => {
      chooseTheme(name);
      setTheme(name);
    },
  }));
  return (
    <MenuButton
      label={`Account ${visible(me.name)}`}
      icon={<MenuIcon aria-hidden />}
      look="quiet"
      groups={[
        { title: `Signed in as ${visible(me.name)}`, entries: pages },
        { title: 'Theme', entries: themes },
        {
          entries: [
            {
              id: 'sign-out',
              label: 'Sign out',
              icon: <LogOut aria-hidden />,
              onAction: () => void signOut(),
            },
          ],
        },
      ]}
    />
  );
}

/** The pages for which the bar of a narrow screen has no room. */
function narrowPages(me: Me, go: (to: '/feeds' | '/upload') => void): MenuEntry[] {
  const feeds = {
    id: 'feeds',
    label: 'Feeds',
    icon: <Rss aria-hidden />,
    onAction: () => go('/feeds'),
  };
  const upload = {
    id: 'upload',
    label: 'Upload',
    icon: <Upload aria-hidden />,
    onAction: () => go('/upload'),
  };
  return isResearcher(me) ? [feeds, upload] : [feeds];
}
