const text = "@HUGE@";
console.log(text.length > 1000 ? "ok" : "short");
