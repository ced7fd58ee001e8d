import { type ReactNode, useEffect, useRef, useState } from 'react';

/** How far below the screen it may be, so that it has loaded when it is reached. */
const MARGIN = '200px';

/** Renders its content once it would be on the screen. Until then nothing is requested for it. */
export function WhenSeen({ children }: { readonly children: ReactNode }) {
  const [isSeen, setSeen] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: MARGIN },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return isSeen ? children : <div ref={element} />;
}
