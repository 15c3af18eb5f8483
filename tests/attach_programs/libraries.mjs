// Libraries for Node that drive a browser, each in the words of its own manual: node libraries.mjs LIBRARY

import { spawn } from 'node:child_process';

const PAGE = 'https://store.steampowered.com/account/cookiepreferences';
const XPATHS = ['recentapps', 'app_impressions'].map((name) => `//*[text()="${name}"]/following::*[@role="switch"][1]`);
const [host, port] = process.env.WEBSP_DEBUGGER_ADDRESS.split(':');

const LIBRARIES = {
  // Host and port; the protocol is asked for.
  async 'chrome-remote-interface'() {
    const { default: CDP } = await import('chrome-remote-interface');
    const client = await CDP({ host, port: Number(port) });
    const { Page, Runtime, DOM, Input } = client;
    await Page.enable();
    await Promise.all([Page.loadEventFired(), Page.navigate({ url: PAGE })]);
    for (const xpath of XPATHS) {
      const expression = `document.evaluate('${xpath}', document, null, XPathResult.FIRST_ORDERED_NODE_TYPE, null).singleNodeValue`;
      let quads = [];
      // A switch that the page draws anew meanwhile has no place: it is looked for again.
      while (quads.length === 0) {
        const { result: { objectId } } = await Runtime.evaluate({ expression });
        ({ quads } = await DOM.scrollIntoViewIfNeeded({ objectId }).then(() => DOM.getContentQuads({ objectId })).catch(() => ({ quads: [] })));
      }
      const [[left, top, right, , , bottom]] = quads;
      const point = { x: (left + right) / 2, y: (top + bottom) / 2, button: 'left', clickCount: 1 };
      for (const type of ['mousePressed', 'mouseReleased']) await Input.dispatchMouseEvent({ type, ...point });
    }
    await client.close();
  },

  // Sentences. Its closeBrowser() closes the tab and talks to it after that.
  async taiko() {
    const { default: taiko } = await import('taiko');
    await taiko.openBrowser({ host, port: Number(port) });
    await taiko.goto(PAGE);
    for (const xpath of XPATHS) await taiko.click(taiko.$(xpath));
    process.exit();
  },

  // Classic WebDriver, with a chromedriver that runs: to start one it would load a browser from the net.
  async webdriverio() {
    const { remote } = await import('webdriverio');
    const driver = spawn('chromedriver', ['--port=0']);
    const ready = new Promise((found) => driver.stdout.on('data', (text) => {
      const [, port] = /successfully on port (\d+)/.exec(text) ?? [];
      if (port) found(Number(port));
    }));
    const browser = await remote({
      logLevel: 'error',
      hostname: '127.0.0.1',
      port: await ready,
      capabilities: { browserName: 'chrome', 'wdio:enforceWebDriverClassic': true, 'goog:chromeOptions': { debuggerAddress: `${host}:${port}` } },
    });
    await browser.url(PAGE);
    for (const xpath of XPATHS) await browser.$(xpath).click();
    await browser.deleteSession();
    driver.kill();
  },
};

await LIBRARIES[process.argv[2]]();
