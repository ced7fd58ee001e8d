import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AnalysisNews, type Watch } from './analysis-news.ts';

/** Longer than any test: what ends before was told. */
const LONG_MS = 60_000;

function watch(news: AnalysisNews, sha256: string): Watch {
  return news.watch(sha256) ?? assert.fail('nobody may wait');
}

describe('news of uploads', () => {
  it('wake everybody who listens, until they no longer do', () => {
    const news = new AnalysisNews();
    const woken: string[] = [];
    const end = news.onSubmitted(() => woken.push('one'));
    news.onSubmitted(() => woken.push('other'));
    news.submitted();
    end();
    news.submitted();
    assert.deepEqual(woken, ['one', 'other', 'other']);
  });
});

describe('news of an analysis', { timeout: 50_000 }, () => {
  it('reach everybody who waits for that sample', async () => {
    const news = new AnalysisNews();
    const waits = [watch(news, 'a'), watch(news, 'a')].map((one) => one.wait(LONG_MS));
    news.finished('a');
    await Promise.all(waits);
  });

  it('do not reach those who wait for another', async () => {
    const news = new AnalysisNews();
    const other = watch(news, 'b');
    let told = false;
    const wait = other.wait(LONG_MS).then(() => {
      told = true;
    });
    news.finished('a');
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(told, false);
    other.end();
    await wait;
  });

  it('that came since the last time are not missed', async () => {
    const news = new AnalysisNews();
    const one = watch(news, 'a');
    news.finished('a');
    await one.wait(LONG_MS);
  });

  it('are told once', async () => {
    const news = new AnalysisNews();
    const one = watch(news, 'a');
    news.finished('a');
    await one.wait(LONG_MS);
    const wait = one.wait(LONG_MS);
    one.end();
    await wait;
    assert.equal(one.isEnded, true);
  });

  it('are waited for no longer than was said', async () => {
    const one = watch(new AnalysisNews(), 'a');
    const before = performance.now();
    const alive = setInterval(() => undefined, 1000);
    await one.wait(20);
    clearInterval(alive);
    assert.ok(performance.now() - before >= 19);
  });

  it('are not waited for by one that has ended', async () => {
    const one = watch(new AnalysisNews(), 'a');
    one.end();
    one.end();
    await one.wait(LONG_MS);
  });

  it('let a thousand wait, no more, until one has ended', () => {
    const news = new AnalysisNews();
    const watches = Array.from({ length: 1000 }, (_, turn) => watch(news, `sample ${turn % 7}`));
    assert.equal(news.watch('a'), undefined);
    watches[0]?.end();
    watches[0]?.end();
    assert.ok(news.watch('a'));
    assert.equal(news.watch('a'), undefined);
  });

  it('let everybody go when they close, and nobody wait any more', async () => {
    const news = new AnalysisNews();
    const watches = ['a', 'a', 'b'].map((sha256) => watch(news, sha256));
    const waits = watches.map((one) => one.wait(LONG_MS));
    news.close();
    await Promise.all(waits);
    assert.ok(watches.every(({ isEnded }) => isEnded));
    assert.equal(news.watch('a'), undefined);
  });
});
