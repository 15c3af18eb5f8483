// A Puppeteer program as an agent (npm install puppeteer-core):
//
//     websp run --agent 'cdp:node puppeteer_agent.mjs alexrivers "Account details: alexrivers" "Cookies & Browsing" recentapps app_impressions' \
//         --tasks 'Steam-task-191-ON'
//
// It presses the elements whose accessible names are its arguments, one after another.

import puppeteer from 'puppeteer-core';

const browser = await puppeteer.connect({ browserWSEndpoint: process.env.WEBSP_CDP_URL, defaultViewport: null });
const [page] = await browser.pages();
for (const name of process.argv.slice(2)) await page.locator(`aria/${name}`).click();
await page.waitForNetworkIdle();
await fetch(process.env.WEBSP_FINISH_URL, { method: 'POST', body: 'done' });
await browser.disconnect();
