// This year's Playwright for Node, over the door of an episode.

import { chromium } from 'playwright-core';

const browser = await chromium.connectOverCDP(process.env.WEBSP_CDP_URL);
const page = await browser.contexts()[0].newPage();
await page.goto(process.env.WEBSP_START_URL);
await page.getByRole('button', { name: 'alexrivers' }).click();
await page.getByRole('link', { name: 'Account details' }).click();
await page.getByRole('link', { name: 'Cookies & Browsing' }).click();
for (const name of ['recentapps', 'app_impressions']) await page.getByRole('switch', { name }).click();
await page.screenshot();
await browser.close();
