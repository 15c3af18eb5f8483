"""A Selenium program as an agent (pip install selenium; a chromedriver of the browser's version on the PATH):

    websp run --agent 'cdp:python selenium_agent.py recentapps app_impressions' --tasks 'Steam-task-191-ON'

It presses the switches whose names are its arguments.
"""

from __future__ import annotations

import os
import sys

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PAGE = "https://store.steampowered.com/account/cookiepreferences"


def main() -> None:
    """Play the episode."""
    options = webdriver.ChromeOptions()
    options.debugger_address = os.environ["WEBSP_DEBUGGER_ADDRESS"]
    driver = webdriver.Chrome(options=options)
    driver.get(PAGE)
    for name in sys.argv[1:]:

        def named(driver: webdriver.Chrome, name: str = name) -> object:
            found = driver.find_elements(By.CSS_SELECTOR, "[role=switch]")
            return next((each for each in found if each.accessible_name == name), None)

        # The page may replace its switches while they are looked through.
        WebDriverWait(driver, 10, ignored_exceptions=[StaleElementReferenceException]).until(named).click()
    driver.quit()


if __name__ == "__main__":
    main()
