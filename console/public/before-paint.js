// Theme and language before the first paint, so that nothing flashes.
(function () {
  var root = document.documentElement;
  var kept = {};
  try {
    kept = { theme: localStorage.getItem("hi.theme"), language: localStorage.getItem("hi.language") };
  } catch (error) {
    kept = {};
  }
  var light = window.matchMedia("(prefers-color-scheme: light)").matches;
  root.dataset.theme = kept.theme === "light" || kept.theme === "dark" ? kept.theme : light ? "light" : "dark";
  var chinese = (navigator.language || "").toLowerCase().indexOf("zh") === 0;
  root.lang = kept.language === "zh" || (!kept.language && chinese) ? "zh-CN" : "en";
})();
